// host_traces_test.cc: the host's identity and its network interfaces are hidden unless a rule shows them.
#include <gtest/gtest.h>

#include "plan/plan_fixture.h"

namespace pinfold::plan {
namespace {

class HostTraces : public ::testing::Test, protected PlanFixture {
 protected:
  HostTraces() {
    host.file("/etc/machine-id", "0123456789abcdef0123456789abcdef\n");
    host.dir("/sys/class/net").dir("/sys/devices/virtual/net/lo").dir("/sys/devices/pci0/net/eth0");
    host.dir("/sys/devices/system/cpu");
    host.link("/sys/class/net/lo", "../../devices/virtual/net/lo")
        .link("/sys/class/net/eth0", "../../devices/pci0/net/eth0");
  }
};

TEST_F(HostTraces, InterfacesAreHiddenByClassAndByDevice) {
  const Plan made = plan();
  for (const char* path : {"/sys/class/net", "/sys/devices/virtual/net", "/sys/devices/pci0/net"})
    EXPECT_NE(at<HidePath>(made, path), nullptr) << path;
  EXPECT_EQ(at<HidePath>(made, "/sys/devices/system/cpu"), nullptr);
}

TEST_F(HostTraces, NoInterfaceIsLeftOutAmongThousands) {
  host.list_takes_ms(0, 64);
  for (int i = 0; i < 2000; ++i)
    host.link("/sys/class/net/a" + std::to_string(i), "../../devices/virtual/net/a" + std::to_string(i));
  host.dir("/sys/devices/pci1/net/zeth1").link("/sys/class/net/zeth1", "../../devices/pci1/net/zeth1");
  EXPECT_NE(at<HidePath>(plan(), "/sys/devices/pci1/net"), nullptr);
}

TEST_F(HostTraces, UnlistableInterfacesAreAGap) {
  host.unreadable("/sys/class/net");
  const Plan made = plan();
  ASSERT_FALSE(made.gaps.empty());
  EXPECT_NE(made.gaps.front().gap.find("/sys/devices"), std::string::npos);
}

TEST_F(HostTraces, FullNetworkShowsInterfaces) {
  EXPECT_EQ(
      at<HidePath>(plan(std::move(builder().allow(danger::HostNetwork("test"), flag("--net")))), "/sys/class/net"),
      nullptr);
}

TEST_F(HostTraces, ARuleShowsThem) {
  const Plan made =
      plan(std::move(builder().read("/sys/class/net", flag("--read")).read("/etc/machine-id", flag("--read"))));
  EXPECT_EQ(at<HidePath>(made, "/sys/class/net"), nullptr);
  EXPECT_EQ(at<MakeFile>(made, "/etc/machine-id"), nullptr);
}

TEST_F(HostTraces, TheBootIdIsReplaced) {
  host.file("/proc/sys/kernel/random/boot_id", "4f6d7a54-0b1f-4b0a-9f5e-1b7b9c0d2e3f\n");
  const Plan all = plan();
  const auto* made = at<MakeFile>(all, "/proc/sys/kernel/random/boot_id");
  ASSERT_NE(made, nullptr);
  ASSERT_EQ(made->content.size(), 37U);
  EXPECT_EQ(made->content.substr(13, 2), "-4");
  for (const std::size_t dash : {8U, 13U, 18U, 23U}) EXPECT_EQ(made->content[dash], '-');
  EXPECT_EQ(made->content.find_first_not_of("0123456789abcdef-"), 36U);
}

TEST_F(HostTraces, TheMachineIdIsReplaced) {
  const Plan all = plan();
  const auto* made = at<MakeFile>(all, "/etc/machine-id");
  ASSERT_NE(made, nullptr);
  EXPECT_EQ(made->content.size(), 33U);
  EXPECT_EQ(made->content.find_first_not_of("0123456789abcdef"), 32U);
  EXPECT_EQ(made->content.find("0123456789abcdef"), std::string::npos);
}

}  // namespace
}  // namespace pinfold::plan
