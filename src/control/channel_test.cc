// channel_test.cc: texts and descriptors through a real socket.
#include "control/channel.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

#include <gtest/gtest.h>

#include "sys/files.h"

namespace pinfold::control {
namespace {

class ChannelTest : public ::testing::Test {
 protected:
  ChannelTest() {
    int ends[2] = {-1, -1};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) ADD_FAILURE() << "socketpair";
    ours_ = Channel(sys::Fd::adopt(ends[0]));
    theirs_ = Channel(sys::Fd::adopt(ends[1]));
  }
  Channel ours_;
  Channel theirs_;
};

TEST_F(ChannelTest, ShortAndLongTextsWithDescriptors) {
  for (const std::size_t size :
       {std::size_t{1}, std::size_t{32} << 10, (std::size_t{32} << 10) + 1, std::size_t{3} << 20}) {
    const std::string text(size, 'x');
    ASSERT_TRUE(ours_.send(text, {0, 1, 2}, Wait::kBlock));
    auto packet = theirs_.receive(Wait::kBlock);
    ASSERT_TRUE(packet && *packet) << size;
    EXPECT_EQ((*packet)->text, text);
    ASSERT_EQ((*packet)->fds.size(), 3u);
    EXPECT_NE(::fcntl((*packet)->fds[0].raw(), F_GETFD) & FD_CLOEXEC, 0);
  }
}

TEST_F(ChannelTest, TellsNoMessageYetFromEndOfStream) {
  auto none = theirs_.receive(Wait::kNever);
  EXPECT_TRUE(none && !*none);
  ours_.close();
  const auto end = theirs_.receive(Wait::kNever);
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().kind(), ErrorKind::kNotFound);
  EXPECT_FALSE(theirs_.send("x", {}, Wait::kBlock));  // without SIGPIPE
}

TEST_F(ChannelTest, AFileThatIsNotSealedIsRefused) {
  const std::string in_file = R"({"v":1,"in":"file"})";
  const auto open = sys::Fd::adopt(::memfd_create("x", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(::write(open.raw(), "{}", 2), 2);
  for (const int fd : {open.raw(), 0}) {
    ASSERT_TRUE(ours_.send(in_file, {fd}, Wait::kBlock));
    EXPECT_FALSE(theirs_.receive(Wait::kBlock)) << fd;
  }
  ASSERT_TRUE(ours_.send(in_file, {}, Wait::kBlock));
  EXPECT_FALSE(theirs_.receive(Wait::kBlock));
  auto sealed = sys::sealed_file("{}");
  ASSERT_TRUE(sealed && ours_.send(in_file, {sealed->raw()}, Wait::kBlock));
  auto packet = theirs_.receive(Wait::kBlock);
  ASSERT_TRUE(packet && *packet);
  EXPECT_EQ((*packet)->text, "{}");
}

TEST_F(ChannelTest, DoesNotWaitForAPeerThatDoesNotRead) {
  bool full = false;
  for (int i = 0; i < 10000 && !full; ++i) {
    auto sent = ours_.send(std::string(1000, 'x'), {}, Wait::kNever);
    ASSERT_TRUE(sent);
    full = !*sent;
  }
  EXPECT_TRUE(full);
}

}  // namespace
}  // namespace pinfold::control
