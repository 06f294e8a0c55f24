// peer_test.cc: which restrictions count, and real processes at the other end.
#include "control/peer.h"

#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

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

TEST_F(PeerTest, AProcessLikeThisOneIsTaken) {
  EXPECT_TRUE(check_child([] {}).has_value());
}

TEST_F(PeerTest, AProcessThatCannotGainPrivilegesIsRefused) {
  if (::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1) GTEST_SKIP() << "this process has no_new_privs itself";
  const auto checked = check_child([] { ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); });
  ASSERT_FALSE(checked.has_value());
  EXPECT_NE(checked.error().text().find("no_new_privs"), std::string::npos) << checked.error().text();
}

// Its number may be another process's by now, and the connection may be in anybody's hands.
TEST_F(PeerTest, AProcessThatHasEndedIsRefused) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(connect().is_open() ? 0 : 1);
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  EXPECT_FALSE(check_peer(accept().raw()).has_value());
}

TEST(Confinement, OfThisProcessIsKnownAndNotBeyondItself) {
  const auto own = confinement_of(::getpid());
  ASSERT_TRUE(own.has_value());
  for (const auto& each : own->namespaces) EXPECT_NE(each.inode, 0U);
  EXPECT_EQ(restriction_beyond(*own, *own), "");
  EXPECT_FALSE(confinement_of(-1).has_value());
}

TEST(Confinement, MoreThanOursIsFoundAndLessIsNot) {
  Confinement own;
  own.seccomp_filters = 1;
  own.no_new_privileges = true;
  Confinement peer = own;
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
              "it is in another " + std::string(Confinement::kNamespaces[i]) + " namespace");
  }
  peer = own;
  peer.root.inode = 7;
  EXPECT_EQ(restriction_beyond(own, peer), "it has another root directory (chroot)");
}

}  // namespace
}  // namespace pinfold::control
