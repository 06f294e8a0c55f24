// names_test.cc: the files by which programs find the sandbox's own name server.
#include <gtest/gtest.h>

#include "plan/plan_fixture.h"

namespace pinfold::plan {
namespace {

class NamesTest : public PlanFixture, public testing::Test {
 protected:
  Plan by_name() { return plan(std::move(builder().network_domain("x.org", flag("--net")))); }
};

TEST_F(NamesTest, PrivateFilesOverTheHosts) {
  host.file("/etc/resolv.conf").file("/etc/nsswitch.conf");
  host.file("/etc/hosts", "# names\n127.0.1.1\tada ada.lan\n10.1.2.3 db.lan\n ::1 six\nfe80::1%eth0 x\nnonsense");
  const Plan made = by_name();
  const auto* resolv = at<MakeFile>(made, "/etc/resolv.conf");
  ASSERT_NE(resolv, nullptr);
  EXPECT_EQ(resolv->content, "nameserver 127.0.0.53\nsearch .\noptions attempts:2\n");
  const auto* nsswitch = at<MakeFile>(made, "/etc/nsswitch.conf");
  ASSERT_NE(nsswitch, nullptr);
  EXPECT_NE(nsswitch->content.find("\nhosts: files dns\n"), std::string::npos);
  const auto* hosts = at<MakeFile>(made, "/etc/hosts");
  ASSERT_NE(hosts, nullptr);
  EXPECT_EQ(hosts->content,
            "127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n127.0.1.1\tada ada.lan\n::1 six\n")
      << "other machines are found by asking for them";
  EXPECT_EQ(at<MakeFile>(plan(), "/etc/resolv.conf"), nullptr) << "without names nothing changes";
}

TEST_F(NamesTest, FollowsTheSymlink) {
  host.file("/run/systemd/resolve/stub").link("/etc/resolv.conf", "../run/systemd/resolve/stub");
  const Plan made = by_name();
  EXPECT_NE(at<MakeFile>(made, "/run/systemd/resolve/stub"), nullptr);
  EXPECT_EQ(at<MakeFile>(made, "/etc/resolv.conf"), nullptr);
}

TEST_F(NamesTest, ADanglingSymlinkIsGivenItsTarget) {
  host.link("/etc/resolv.conf", "/run/NetworkManager/resolv.conf");
  EXPECT_NE(at<MakeFile>(by_name(), "/run/NetworkManager/resolv.conf"), nullptr);
}

TEST_F(NamesTest, MakesNoFileInAShownDirectory) { EXPECT_EQ(at<MakeFile>(by_name(), "/etc/resolv.conf"), nullptr); }

TEST_F(NamesTest, NeverShowsTheHostsOwnFile) {
  host.file("/run/systemd/resolve/stub").link("/etc/resolv.conf", "../run/systemd/resolve/stub");
  const Plan made = plan(
      std::move(builder().network_domain("x.org", flag("--net")).read("/run/systemd/resolve/stub", flag("--read"))));
  EXPECT_EQ(at<ShowPath>(made, "/run/systemd/resolve/stub"), nullptr);
  EXPECT_NE(at<MakeFile>(made, "/run/systemd/resolve/stub"), nullptr);
}

TEST_F(NamesTest, HidesNameServicesInAShownRunDirectory) {
  host.dir("/run/nscd").dir("/run/systemd/resolve").dir("/run/avahi-daemon").dir("/run/other");
  const Plan made = plan(std::move(builder().network_domain("x.org", flag("--net")).read("/run", flag("--read"))));
  for (const char* path : {"/run/nscd", "/run/systemd/resolve", "/run/avahi-daemon"})
    EXPECT_NE(at<HidePath>(made, path), nullptr) << path;
  EXPECT_EQ(at<HidePath>(made, "/run/other"), nullptr);
}

TEST_F(NamesTest, TheStepCarriesTypedRules) {
  const Plan made = by_name();
  const auto networks = all<Network>(made);
  ASSERT_EQ(networks.size(), 1U);
  EXPECT_EQ(networks[0].mode, NetworkMode::kDomains);
  ASSERT_EQ(networks[0].domains.size(), 1U);
  EXPECT_EQ(networks[0].domains[0].name, "x.org");
  EXPECT_NE(describe(made).find("network       domains x.org  [--net]\n"), std::string::npos);
}

}  // namespace
}  // namespace pinfold::plan
