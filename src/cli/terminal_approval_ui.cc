// terminal_approval_ui.cc: one question at a time, on /dev/tty.
#include "cli/terminal_approval_ui.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/process_io.h"
#include "plan/grants.h"
#include "report/table.h"

namespace pinfold::cli {
namespace {

using report::Paint;

constexpr const char* kAsk = "  a letter, then Enter: ";
constexpr const char* kTooSoon = "\n  keys typed before this question appeared were dropped: answer again\n";
// The command may have left half a sequence, which would swallow the question, or made text invisible: ends what is
// open, and takes the usual characters and colours.
constexpr const char* kClean = "\x18\x1b\\\x1b(B\x0f\x1b[0m";

struct Choice {
  Answer answer;
  char key;
  const char* words;
};
constexpr std::array kChoices = {Choice{Answer::kOnce, 'o', "once"}, Choice{Answer::kSession, 's', "for this session"},
                                 Choice{Answer::kAlways, 'a', "always"}, Choice{Answer::kDeny, 'd', "deny"}};

bool is_offered(const AccessQuestion& question, Answer answer) {
  if (answer == Answer::kOnce) return question.once;
  return answer == Answer::kDeny || question.grant.has_value();
}

const char* words_of(Answer answer) {
  for (const Choice& each : kChoices)
    if (each.answer == answer) return each.words;
  return "";
}

Paint paint_of(RiskLevel level) {
  return level == RiskLevel::kHigh ? Paint::kBad : level == RiskLevel::kMedium ? Paint::kWarn : Paint::kGood;
}

const char* word_of(RiskLevel level) {
  return level == RiskLevel::kHigh ? "high" : level == RiskLevel::kMedium ? "medium" : "low";
}

std::string keys_of(const AccessQuestion& question, report::Colour colour) {
  std::string out;
  for (const Choice& each : kChoices) {
    if (!is_offered(question, each.answer)) continue;
    out += out.empty() ? "  " : "   ";
    out += report::paint(fmt::format("[{}]", each.key), Paint::kBold, colour) + " " + each.words;
  }
  return out + " (Enter)\n";
}

// A sequence that is not understood would be seen.
bool understands_sequences(HostView& host) {
  const auto name = host.variable("TERM");
  return name && !name->empty() && *name != "dumb";
}

std::string erased(std::size_t count) {
  std::string out;
  for (; count > 0; --count) out += "\b \b";
  return out;
}

}  // namespace

std::string question_text(const AccessQuestion& question, const std::string& command, report::Paper paper) {
  const std::string who = question.program.empty() ? "the command" : report::visible(question.program);
  std::string out = "\n" + report::paint("pinfold:", Paint::kWarn, paper.colour) + " " +
                    report::paint(fmt::format("{} wants to {}", who, question.operation), Paint::kBold, paper.colour) +
                    (question.operation == "connect" ? " to" : "") + "\n";
  std::vector<std::vector<report::Cell>> rows;
  const auto row = [&](const char* title, const std::string& text, Paint paint = Paint::kNone) {
    if (!text.empty()) rows.push_back({{title, Paint::kDim}, {report::visible(text), paint}});
  };
  row("what", question.resource, Paint::kBold);
  if (question.named != question.resource) row("named", question.named);
  row("in", command);
  if (!question.risk.words.empty())
    row("risk", fmt::format("{}: {}", word_of(question.risk.level), question.risk.words),
        paint_of(question.risk.level));
  row("rule", question.rule);
  if (question.grant) row("gives", plan::flag_of(*question.grant) + (question.once ? " (but once: this alone)" : ""));
  return out + report::table(rows, 2, paper) + keys_of(question, paper.colour);
}

TerminalFace::TerminalFace(session::Board& board, std::string command, HostView& host)
    : board_(board), command_(std::move(command)), host_(host) {}

bool TerminalFace::is_there() {
  const auto terminal = sys::Fd::adopt(::open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC));
  return terminal.is_open() && ::isatty(terminal.raw()) == 1;
}

void TerminalFace::begin(sys::EventLoop& loop, supervisor::Streams& streams) {
  loop_ = &loop;
  streams_ = &streams;
  terminal_ = sys::Fd::adopt(::open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC));
  screen_.open(loop, terminal_.raw());
}

// Whoever reads from a terminal in the background is stopped, and nobody sees why.
bool TerminalFace::is_ours() const { return terminal_.is_open() && ::tcgetpgrp(terminal_.raw()) == ::getpgrp(); }

void TerminalFace::asked(const AccessQuestion& question) {
  waiting_.push_back(question);
  show_next();
}

void TerminalFace::settled(const AccessQuestion& question, std::optional<Answer> answer) {
  std::erase_if(waiting_, [&](const AccessQuestion& each) { return each.id == question.id; });
  if (!shown_ || shown_->id != question.id) return;
  hide(answer ? fmt::format("answered elsewhere: {}", words_of(*answer)) : "no longer wanted");
  show_next();
}

void TerminalFace::show_next() {
  while (!shown_ && !waiting_.empty() && loop_ != nullptr) {
    AccessQuestion next = std::move(waiting_.front());
    waiting_.pop_front();
    if (!is_ours()) {
      board_.answer(next.id, Answer::kDeny, "nobody: not in the foreground of a terminal");
      continue;
    }
    shown_ = std::move(next);
    streams_->hold();
    ::tcgetattr(terminal_.raw(), &before_);
    termios keys = before_;
    keys.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ISIG | IEXTEN);
    keys.c_iflag |= ICRNL;
    keys.c_oflag |= OPOST | ONLCR;
    keys.c_cc[VMIN] = 1;
    keys.c_cc[VTIME] = 0;
    ::tcsetattr(terminal_.raw(), TCSANOW, &keys);  // TCSADRAIN waits for a terminal that was stopped
    say((understands_sequences(host_) ? kClean : "") +
        question_text(*shown_, command_, paper_for(terminal_.raw(), host_)));
    screen_.when_taken([this, id = shown_->id] { start_reading(id); });
  }
}

// Once the terminal has the question: what was typed before that is no answer to it. The last line comes after the
// flush, which may be late on a busy machine: what somebody types who has seen that line is never flushed.
void TerminalFace::start_reading(std::uint64_t question) {
  if (!shown_ || shown_->id != question) return;
  ::tcflush(terminal_.raw(), TCIFLUSH);
  const bool fences = understands_sequences(host_) && answers_fence_;
  typed_.start(fences ? TypedLine::Fence::kSent : TypedLine::Fence::kNone, sys::Clock::now());
  // Terminals answer in order: what comes before the answer to the fence was asked for by the command.
  say(std::string(kAsk) + std::string(fences ? TypedLine::kFence : ""));
  if (fences) fence_timer_ = loop_->after(TypedLine::kFencePatience, [this] { take_held_keys(); });
  reading_ = loop_->add(terminal_.raw(), sys::EventLoop::Interest::kRead, [this] { read_keys(); }).has_value();
  if (!reading_) take(Answer::kDeny);
}

void TerminalFace::hide(const std::string& last_words) {
  if (!shown_) return;
  shown_.reset();
  if (std::exchange(reading_, false) && loop_ != nullptr) loop_->remove(terminal_.raw());
  if (fence_timer_ && loop_ != nullptr) loop_->cancel(*fence_timer_);
  fence_timer_.reset();
  screen_.clear();
  say(last_words + "\n");
  ::tcsetattr(terminal_.raw(), TCSANOW, &before_);
  if (streams_ != nullptr) streams_->release();
}

// This terminal does not answer: what it was typed at since the question appeared counts, and it is not asked again.
void TerminalFace::take_held_keys() {
  fence_timer_.reset();
  if (!shown_ || !typed_.is_fence_out()) return;
  answers_fence_ = false;
  const std::uint64_t asked = shown_->id;
  for (const char key : typed_.give_up_on_fence())
    if (shown_ && shown_->id == asked) act_on(typed_.press(key), key);
}

void TerminalFace::read_keys() {
  std::array<char, 256> bytes{};
  const ssize_t size = ::read(terminal_.raw(), bytes.data(), bytes.size());
  if (size < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (size <= 0) return take(Answer::kDeny);  // the terminal is gone
  const auto now = sys::Clock::now();
  // What follows an answer in the same read was typed before the next question.
  const std::uint64_t asked = shown_->id;
  for (ssize_t i = 0; i < size && shown_ && shown_->id == asked; ++i) {
    const char byte = bytes[static_cast<std::size_t>(i)];
    act_on(typed_.take(byte, now), byte);
  }
}

void TerminalFace::act_on(TypedLine::Step step, char key) {
  switch (step.event) {
    case TypedLine::Event::kNothing: break;
    case TypedLine::Event::kEcho: say(std::string(1, key)); break;
    case TypedLine::Event::kErase: say(erased(step.erase)); break;
    case TypedLine::Event::kGone: take(Answer::kDeny); break;
    case TypedLine::Event::kLine: decide(); break;
    case TypedLine::Event::kDropped: say(std::string(kTooSoon) + kAsk); break;
    case TypedLine::Event::kInterrupt: {
      supervisor::Streams* streams = streams_;
      take(Answer::kDeny);
      if (streams != nullptr) streams->interrupt();
      break;
    }
  }
}

// One letter of those offered, nothing at all, or once more.
void TerminalFace::decide() {
  const std::string line = typed_.line();
  say(erased(line.size()));
  typed_.clear();
  if (line.empty() || line == "n" || line == "N") return take(Answer::kDeny);
  for (const Choice& each : kChoices)
    if (line.size() == 1 && (line[0] == each.key || line[0] == each.key - 'a' + 'A') &&
        is_offered(*shown_, each.answer))
      return take(each.answer);
  say(fmt::format("{} is none of them\n{}", report::visible(line), kAsk));
}

void TerminalFace::take(Answer answer) {
  const std::uint64_t id = shown_->id;
  hide(words_of(answer));
  board_.answer(id, answer, "terminal");
  show_next();
}

void TerminalFace::close() {
  hide("the command has ended");
  screen_.close();
  waiting_.clear();
  loop_ = nullptr;
  streams_ = nullptr;
}

}  // namespace pinfold::cli
