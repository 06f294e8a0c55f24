// relay_test.cc: all bytes pass, a slow reader blocks the writer, a closed reader ends the relay.
#include "supervisor/relay.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <string>

namespace pinfold::supervisor {
namespace {

struct Pipe {
  Pipe() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    read = sys::Fd::adopt(ends[0]);
    write = sys::Fd::adopt(ends[1]);
  }
  sys::Fd read;
  sys::Fd write;
};

class RelayTest : public ::testing::Test {
 protected:
  void SetUp() override { ::signal(SIGPIPE, SIG_IGN); }
  sys::EventLoop loop_ = std::move(*sys::EventLoop::create());
};

TEST_F(RelayTest, PassesEverythingThroughASlowReader) {
  Pipe in;
  Pipe out;
  std::string sent(300'000, 'x');
  for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<char>('a' + i % 23);
  ::fcntl(in.write.raw(), F_SETFL, O_NONBLOCK);
  ::fcntl(out.read.raw(), F_SETFL, O_NONBLOCK);
  std::string seen;
  Relay relay(
      loop_, std::move(in.read), out.write.raw(),
      [&](std::string_view bytes) {
        seen += bytes;
        return bytes.size();
      },
      [] {});
  relay.start();
  std::string got;
  std::size_t offset = 0;
  std::function<void()> feed = [&] {
    if (offset < sent.size()) {
      ssize_t size = ::write(in.write.raw(), sent.data() + offset, sent.size() - offset);
      if (size > 0) offset += static_cast<std::size_t>(size);
      if (offset == sent.size()) in.write.reset();
    }
    char buffer[5000];
    ssize_t size = ::read(out.read.raw(), buffer, sizeof buffer);
    if (size > 0) got.append(buffer, static_cast<std::size_t>(size));
    if (got.size() == sent.size()) return loop_.stop();
    loop_.after(std::chrono::milliseconds(0), feed);
  };
  loop_.after(std::chrono::milliseconds(0), feed);
  ASSERT_TRUE(loop_.run());
  EXPECT_EQ(got, sent);
  EXPECT_EQ(seen, sent);
}

TEST_F(RelayTest, ClosesTheWriterWhenTheReaderCloses) {
  Pipe in;
  Pipe out;
  out.read.reset();
  Relay relay(loop_, std::move(in.read), out.write.raw(), nullptr, [&] { loop_.stop(); });
  relay.start();
  ASSERT_EQ(::write(in.write.raw(), "x", 1), 1);
  ASSERT_TRUE(loop_.run());
  EXPECT_TRUE(relay.is_finished());
  EXPECT_EQ(::write(in.write.raw(), "x", 1), -1);
  EXPECT_EQ(errno, EPIPE);
}

TEST_F(RelayTest, PassesAsMuchAsTheTapAllowsThenEnds) {
  Pipe in;
  Pipe out;
  Relay relay(
      loop_, std::move(in.read), out.write.raw(), [](std::string_view) { return std::size_t{3}; },
      [&] { loop_.stop(); });
  relay.start();
  ASSERT_EQ(::write(in.write.raw(), "hello", 5), 5);
  ASSERT_TRUE(loop_.run());
  EXPECT_TRUE(relay.is_finished());
  char text[8] = {};
  EXPECT_EQ(::read(out.read.raw(), text, sizeof text), 3);
  EXPECT_STREQ(text, "hel");
}

TEST_F(RelayTest, WritesToFilesDirectly) {
  Pipe in;
  char name[] = "/tmp/pinfold-relay-XXXXXX";
  auto file = sys::Fd::adopt(::mkstemp(name));
  Relay relay(loop_, std::move(in.read), file.raw(), nullptr, [&] { loop_.stop(); });
  relay.start();
  ASSERT_EQ(::write(in.write.raw(), "hello", 5), 5);
  in.write.reset();
  ASSERT_TRUE(loop_.run());
  char text[8] = {};
  EXPECT_EQ(::pread(file.raw(), text, 5, 0), 5);
  EXPECT_STREQ(text, "hello");
  ::unlink(name);
}

TEST_F(RelayTest, ReportsWhyBytesWereLost) {
  Pipe in;
  const auto full = sys::Fd::adopt(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  Relay relay(loop_, std::move(in.read), full.raw(), nullptr, [&] { loop_.stop(); });
  relay.start();
  ASSERT_EQ(::write(in.write.raw(), "hello", 5), 5);
  ASSERT_TRUE(loop_.run());
  ASSERT_TRUE(relay.lost());
  EXPECT_NE(relay.lost()->text().find("No space left on device"), std::string::npos) << relay.lost()->text();
}

TEST_F(RelayTest, AClosedReaderIsNoLoss) {
  Pipe in;
  Pipe out;
  out.read.reset();
  Relay relay(loop_, std::move(in.read), out.write.raw(), nullptr, [&] { loop_.stop(); });
  relay.start();
  ASSERT_EQ(::write(in.write.raw(), "hello", 5), 5);
  ASSERT_TRUE(loop_.run());
  EXPECT_FALSE(relay.lost());
}

TEST_F(RelayTest, ASourceThatCannotBeWatchedIsReportedInTheNextRound) {
  std::string why;
  const int closed = Pipe().read.raw();
  loop_.add_or_report(
      closed, sys::EventLoop::Interest::kRead, [] {},
      [&](const Error& error) {
        why = error.text();
        loop_.stop();
      });
  EXPECT_EQ(why, "");
  ASSERT_TRUE(loop_.run());
  EXPECT_NE(why.find("Bad file descriptor"), std::string::npos) << why;
}

}  // namespace
}  // namespace pinfold::supervisor
