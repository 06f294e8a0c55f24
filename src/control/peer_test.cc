// peer_test.cc: which restrictions count, and real processes at the other end.
#include "control/peer.h"

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <functional>

#include <gtest/gtest.h>

#include "sys/fd.h"

namespace pinfold::control {
namespace {

// A listening socket with an address that the kernel chose, so that peers have credentials of their own.
class PeerTest : public testing::Test {
 protected:
  void SetUp() override {
    listening_ = sys::Fd::adopt(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    address_.sun_family = AF_UNIX;
    ASSERT_EQ(::bind(listening_.raw(), reinterpret_cast<sockaddr*>(&address_), sizeof address_.sun_family), 0);
    ASSERT_EQ(::getsockname(listening_.raw(), reinterpret_cast<sockaddr*>(&address_), &size_), 0);
    ASSERT_EQ(::listen(listening_.raw(), 1), 0);
  }

  sys::Fd connect() const {
    auto fd = sys::Fd::adopt(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    if (::connect(fd.raw(), reinterpret_cast<const sockaddr*>(&address_), size_) != 0) return {};
    return fd;
  }
  sys::Fd accept() const { return sys::Fd::adopt(::accept4(listening_.raw(), nullptr, nullptr, SOCK_CLOEXEC)); }

  // The check of a child that does this, connects, and waits until it was checked.
  Result<void> check_child(const std::function<void()>& before) const {
    const pid_t child = ::fork();
    if (child == 0) {
      before();
      const sys::Fd fd = connect();
      char byte = 0;
      ::_exit(fd.is_open() && ::read(fd.raw(), &byte, 1) == 0 ? 0 : 1);
    }
    sys::Fd accepted = accept();
    auto checked = check_peer(accepted.raw());
    accepted.reset();
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    return checked;
  }

  sys::Fd listening_;
  sockaddr_un address_{};
  socklen_t size_ = sizeof address_;
};

TEST_F(PeerTest, AcceptsAProcessWithTheSameRights) {
  EXPECT_TRUE(check_child([] {}).has_value());
}

TEST_F(PeerTest, RefusesAProcessWithNoNewPrivs) {
  if (::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1) GTEST_SKIP() << "this process has no_new_privs itself";
  const auto checked = check_child([] { ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); });
  ASSERT_FALSE(checked.has_value());
  EXPECT_NE(checked.error().text().find("no_new_privs"), std::string::npos) << checked.error().text();
}

TEST_F(PeerTest, RefusesRootWithoutCapabilities) {
  if (::geteuid() != 0) GTEST_SKIP() << "an ordinary user's processes have no capabilities";
  const auto without_effective = check_child([] {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    std::array<__user_cap_data_struct, 2> none{};
    if (::syscall(SYS_capset, &header, none.data()) != 0) ::_exit(2);
  });
  ASSERT_FALSE(without_effective.has_value());
  EXPECT_NE(without_effective.error().text().find("lacks capabilities"), std::string::npos)
      << without_effective.error().text();
  const auto without_bounding = check_child([] {
    if (::prctl(PR_CAPBSET_DROP, CAP_SYS_ADMIN, 0, 0, 0) != 0) ::_exit(2);
  });
  ASSERT_FALSE(without_bounding.has_value());
  EXPECT_NE(without_bounding.error().text().find("bounding set"), std::string::npos) << without_bounding.error().text();
}

// Its pid may belong to another process now, and another process may have inherited the connection.
TEST_F(PeerTest, RefusesAnEndedProcess) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(connect().is_open() ? 0 : 1);
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  EXPECT_FALSE(check_peer(accept().raw()).has_value());
}

TEST(PeerConfinement, AcceptsThisProcessItself) {
  const auto own = confinement_of(::getpid());
  ASSERT_TRUE(own.has_value());
  for (const auto& each : own->namespaces) EXPECT_NE(each.inode, 0U);
  EXPECT_EQ(restriction_beyond(*own, *own), "");
  EXPECT_FALSE(confinement_of(-1).has_value());
}

TEST(PeerConfinement, RefusesStrongerConfinementOnly) {
  PeerConfinement own;
  own.seccomp_filters = 1;
  own.no_new_privileges = true;
  PeerConfinement peer = own;
  peer.seccomp_filters = 2;
  EXPECT_EQ(restriction_beyond(own, peer), "it is behind more seccomp filters");
  EXPECT_EQ(restriction_beyond(peer, own), "");
  peer = own;
  peer.no_new_privileges = false;
  EXPECT_EQ(restriction_beyond(own, peer), "");
  EXPECT_EQ(restriction_beyond(peer, own), "it runs with no_new_privs");
  for (std::size_t i = 0; i < own.namespaces.size(); ++i) {
    peer = own;
    peer.namespaces[i].inode = 7;
    EXPECT_EQ(restriction_beyond(own, peer),
              "it is in another " + std::string(PeerConfinement::kNamespaces[i]) + " namespace");
  }
  peer = own;
  peer.root.inode = 7;
  EXPECT_EQ(restriction_beyond(own, peer), "it has another root directory (chroot)");
}

TEST(PeerConfinement, RefusesFewerCapabilities) {
  PeerConfinement own;
  own.effective = 0b0110;
  own.bounding = 0b1110;
  PeerConfinement peer = own;
  peer.effective = 0b1110;
  EXPECT_EQ(restriction_beyond(own, peer), "");
  EXPECT_EQ(restriction_beyond(peer, own), "it lacks capabilities that this process has");
  peer = own;
  peer.bounding = 0b1111;
  EXPECT_EQ(restriction_beyond(own, peer), "");
  EXPECT_EQ(restriction_beyond(peer, own), "its capability bounding set is smaller");
}

TEST(PeerConfinement, RefusesOtherSecurityLabelsUnlessUnconfined) {
  const std::string refused = "it has another security label (/proc/PID/attr/current)";
  PeerConfinement own;
  PeerConfinement peer;
  own.label = "unconfined";
  for (const char* label : {"unconfined", "pinfold (unconfined)"}) {
    peer.label = label;
    EXPECT_EQ(restriction_beyond(own, peer), "") << label;
    EXPECT_EQ(restriction_beyond(peer, own), "") << label;
  }
  for (const char* label : {"docker-default (enforce)", "user_u:user_r:user_t:s0"}) {
    peer.label = label;
    EXPECT_EQ(restriction_beyond(own, peer), refused) << label;
    EXPECT_EQ(restriction_beyond(peer, own), "") << label;
    EXPECT_EQ(restriction_beyond(peer, peer), "") << label;
  }
  peer.label.reset();
  EXPECT_EQ(restriction_beyond(own, peer), refused) << "not readable";
}

}  // namespace
}  // namespace pinfold::control
