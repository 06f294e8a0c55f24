// typed_line_test.cc: input that a terminal sends by itself never becomes part of the line, wherever reads split it.
#include "cli/typed_line.h"

#include <gtest/gtest.h>

namespace pinfold::cli {
namespace {

using namespace std::chrono_literals;
using Event = TypedLine::Event;

class TypedLineTest : public ::testing::Test {
 protected:
  // The last event of `bytes`, sent `after` the previous ones.
  Event send(std::string_view bytes, std::chrono::milliseconds after = 0ms) {
    now_ += after;
    Event last = Event::kNothing;
    for (char byte : bytes)
      if (const auto step = typed_.take(byte, now_); step.event != Event::kNothing) last = step.event;
    return last;
  }
  void start(TypedLine::Fence fence) { typed_.start(fence, now_); }

  TypedLine typed_;
  sys::Clock::time_point now_ = sys::Clock::now();
};

TEST_F(TypedLineTest, ALetterAndEnter) {
  start(TypedLine::Fence::kNone);
  EXPECT_EQ(send("a", 400ms), Event::kEcho);
  EXPECT_EQ(send("\r"), Event::kLine);
  EXPECT_EQ(typed_.line(), "a");
}

TEST_F(TypedLineTest, DropsEarlyKeys) {
  start(TypedLine::Fence::kNone);
  EXPECT_EQ(send("a", 100ms), Event::kDropped);  // reported once
  for (int i = 0; i < 20; ++i) EXPECT_EQ(send("a\r", 100ms), Event::kNothing);
  EXPECT_EQ(send("o\r", 300ms), Event::kLine);
  EXPECT_EQ(typed_.line(), "o");
}

TEST_F(TypedLineTest, IgnoresKeysBeforeTheStatusReply) {
  start(TypedLine::Fence::kSent);
  EXPECT_EQ(send("aaaa/aaaa\x07"
                 "a\r",
                 500ms),
            Event::kNothing);  // the rest of a sequence
  EXPECT_EQ(send("a\r", 500ms), Event::kNothing);
  EXPECT_EQ(send("\x1b[0n", 100ms), Event::kDropped);
  EXPECT_EQ(send("a\r", 100ms), Event::kNothing);
  EXPECT_EQ(typed_.give_up_on_fence(), "");
  EXPECT_EQ(send("s\r", 400ms), Event::kLine);
  EXPECT_EQ(typed_.line(), "s");
}

TEST_F(TypedLineTest, WithoutAStatusReplyTheFirstKeysCount) {
  start(TypedLine::Fence::kSent);
  EXPECT_EQ(send("o\r", 700ms), Event::kNothing);
  EXPECT_EQ(typed_.give_up_on_fence(), "o\r");
  EXPECT_EQ(typed_.press('o').event, Event::kEcho);
  EXPECT_EQ(typed_.press('\r').event, Event::kLine);
  EXPECT_EQ(typed_.line(), "o");
  EXPECT_EQ(typed_.give_up_on_fence(), "");
}

TEST_F(TypedLineTest, IgnoresKeysTypedAheadAfterTheStatusTimeOut) {
  start(TypedLine::Fence::kSent);
  EXPECT_EQ(send("a\r", 100ms), Event::kDropped);
  EXPECT_EQ(typed_.give_up_on_fence(), "");
  EXPECT_EQ(send("d\r", 400ms), Event::kLine);
  EXPECT_EQ(typed_.line(), "d");
}

TEST_F(TypedLineTest, TerminalRepliesAreNoKeysInAnyChunks) {
  const std::string_view replies[] = {"\x1b]4;1;rgb:aaaa/aaaa/aaaa\x07",
                                      "\x1b]11;rgb:aaaa/aaaa/aaaa\x1b\\",
                                      "\x1bP1$ra\ra\r\x1b\\",
                                      "\x1b_Ga\ra\r\x1b\\",
                                      "\x1b^a\r\x1b\\",
                                      "\x1bXa\r\x1b\\",
                                      "\x1b[?64;1;2c",
                                      "\x1b[12;40R",
                                      "\x1b[M aa",
                                      "\x1b[<0;10;10M",
                                      "\x1bOa",
                                      "\x1b[200~a\ra\r\x1b[201~",
                                      "\x9d"
                                      "4;1;rgb:aaaa\x9c",
                                      "\x9b"
                                      "12;40R",
                                      "\x90"
                                      "1$ra\r\x9c",
                                      "\x9f"
                                      "a\r\x9c",
                                      "\x8f"
                                      "a",
                                      "\xc2\x9d"
                                      "4;a\r\xc2\x9c",
                                      "\x1b]0;\xc4\x9c"
                                      "a\r\x07",
                                      "\x1b(a",
                                      "\x1b]2;a\x1b[0n"};
  for (std::string_view reply : replies)
    for (std::size_t cut = 0; cut <= reply.size(); ++cut) {
      start(TypedLine::Fence::kNone);
      EXPECT_EQ(send("", 400ms), Event::kNothing);
      EXPECT_EQ(send(reply.substr(0, cut), 400ms), Event::kNothing) << cut << " of " << reply.substr(1);
      EXPECT_EQ(send(reply.substr(cut), 400ms), Event::kNothing) << cut << " of " << reply.substr(1);
      EXPECT_EQ(send("o\r", 400ms), Event::kLine) << reply.substr(1);
      EXPECT_EQ(typed_.line(), "o");
    }
}

TEST_F(TypedLineTest, DropsAnUnterminatedSequence) {
  start(TypedLine::Fence::kNone);
  EXPECT_EQ(send("\x1b]4;1", 400ms), Event::kNothing);
  EXPECT_EQ(send("a\r", 1s), Event::kNothing);
  EXPECT_EQ(send("d\r", 4s), Event::kLine);
  EXPECT_EQ(typed_.line(), "d");
}

TEST_F(TypedLineTest, CanBeCorrectedAndInterrupted) {
  start(TypedLine::Fence::kSent);
  EXPECT_EQ(send("\x03"), Event::kInterrupt);
  start(TypedLine::Fence::kNone);
  EXPECT_EQ(send("ab", 400ms), Event::kEcho);
  EXPECT_EQ(send("\x7f"), Event::kErase);
  EXPECT_EQ(typed_.line(), "a");
  EXPECT_EQ(send("\x15"), Event::kErase);
  EXPECT_EQ(send("\x1b\r"), Event::kLine);  // Escape, and then Enter
  EXPECT_EQ(typed_.line(), "");
  EXPECT_EQ(send("\x04"), Event::kEndOfInput);
}

TEST_F(TypedLineTest, NonAsciiLettersAreNoSequences) {
  start(TypedLine::Fence::kNone);
  EXPECT_EQ(send("\xc4\x9b\xe2\x9b\x9d", 400ms), Event::kNothing);
  EXPECT_EQ(send("o\r"), Event::kLine);
  EXPECT_EQ(typed_.line(), "o");
}

}  // namespace
}  // namespace pinfold::cli
