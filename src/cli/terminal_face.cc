// terminal_face.cc: one question at a time, on /dev/tty.
#include "cli/terminal_face.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/surroundings.h"
#include "plan/grants.h"
#include "report/table.h"

namespace pinfold::cli {
namespace {

using report::Paint;

// Somebody who types on while the question appears has not read it.
constexpr auto kTooSoon = std::chrono::milliseconds(300);
constexpr char kInterrupt = 3;
constexpr char kEscape = 27;

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
  return out + " (Enter) ";
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
}

// Whoever reads from a terminal in the background is stopped, and nobody sees why.
bool TerminalFace::is_ours() const { return terminal_.is_open() && ::tcgetpgrp(terminal_.raw()) == ::getpgrp(); }

void TerminalFace::say(const std::string& text) const { print(terminal_.raw(), text); }

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
    ::tcsetattr(terminal_.raw(), TCSADRAIN, &keys);
    say(question_text(*shown_, command_, paper_for(terminal_.raw(), host_)));
    ::tcflush(terminal_.raw(), TCIFLUSH);
    listens_from_ = sys::Clock::now() + kTooSoon;
    static_cast<void>(loop_->add(terminal_.raw(), sys::EventLoop::Interest::kRead, [this] { read_keys(); }));
  }
}

void TerminalFace::hide(const std::string& last_words) {
  if (!shown_) return;
  shown_.reset();
  if (loop_ != nullptr) loop_->remove(terminal_.raw());
  say(last_words + "\n");
  ::tcsetattr(terminal_.raw(), TCSADRAIN, &before_);
  if (streams_ != nullptr) streams_->release();
}

void TerminalFace::read_keys() {
  std::array<char, 64> keys{};
  const ssize_t size = ::read(terminal_.raw(), keys.data(), keys.size());
  if (size < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (size <= 0) return take(Answer::kDeny);  // the terminal is gone
  if (sys::Clock::now() < listens_from_) return;
  // An arrow or a function key is no answer.
  if (size > 1 && keys[0] == kEscape) return;
  for (ssize_t i = 0; i < size && shown_; ++i) {
    const char key = keys[static_cast<std::size_t>(i)];
    if (key == '\n' || key == '\r' || key == 'n' || key == kEscape) return take(Answer::kDeny);
    if (key == kInterrupt) {
      supervisor::Streams* streams = streams_;
      take(Answer::kDeny);
      if (streams != nullptr) streams->interrupt();
      return;
    }
    for (const Choice& each : kChoices)
      if ((key == each.key || key == each.key - 'a' + 'A') && is_offered(*shown_, each.answer))
        return take(each.answer);
  }
}

void TerminalFace::take(Answer answer) {
  const std::uint64_t id = shown_->id;
  hide(words_of(answer));
  board_.answer(id, answer, "terminal");
  show_next();
}

void TerminalFace::close() {
  hide("the command has ended");
  waiting_.clear();
  loop_ = nullptr;
  streams_ = nullptr;
}

}  // namespace pinfold::cli
