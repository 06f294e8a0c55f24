// terminal_approval_ui.cc: shows one approval request at a time on /dev/tty.
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

constexpr const char* kAsk = "  type a letter, then Enter: ";
constexpr const char* kTooSoon = "\n  Pinfold dropped keys typed before this request appeared; decide again\n";
// The command may have left an unfinished control sequence, which would swallow the request, or invisible text: this
// ends open sequences, and resets character set and colours.
constexpr const char* kClean = "\x18\x1b\\\x1b(B\x0f\x1b[0m";

struct Choice {
  ApprovalDecision decision;
  char key;
  const char* words;
};
constexpr std::array kChoices = {
    Choice{ApprovalDecision::kOnce, 'o', "once"}, Choice{ApprovalDecision::kSession, 's', "for this session"},
    Choice{ApprovalDecision::kAlways, 'a', "always"}, Choice{ApprovalDecision::kDeny, 'd', "deny"}};

bool is_offered(const ApprovalRequest& request, ApprovalDecision decision) {
  if (decision == ApprovalDecision::kOnce) return request.once;
  return decision == ApprovalDecision::kDeny || request.grant.has_value();
}

const char* words_of(ApprovalDecision decision) {
  for (const Choice& each : kChoices)
    if (each.decision == decision) return each.words;
  return "";
}

Paint paint_of(RiskLevel level) {
  return level == RiskLevel::kHigh ? Paint::kBad : level == RiskLevel::kMedium ? Paint::kWarn : Paint::kGood;
}

const char* word_of(RiskLevel level) {
  return level == RiskLevel::kHigh ? "high" : level == RiskLevel::kMedium ? "medium" : "low";
}

std::string keys_of(const ApprovalRequest& request, report::Colour colour) {
  std::string out;
  for (const Choice& each : kChoices) {
    if (!is_offered(request, each.decision)) continue;
    out += out.empty() ? "  " : "   ";
    out += report::paint(fmt::format("[{}]", each.key), Paint::kBold, colour) + " " + each.words;
  }
  return out + " (Enter)\n";
}

// A terminal that does not understand a sequence would show it.
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

std::string request_text(const ApprovalRequest& request, const std::string& command, report::TextFormat format) {
  const std::string program = request.program.empty() ? "the command" : report::visible(request.program);
  std::string out =
      "\n" + report::paint("pinfold:", Paint::kWarn, format.colour) + " " +
      report::paint(fmt::format("{} wants to {}", program, request.operation), Paint::kBold, format.colour) +
      (request.operation == "connect" ? " to" : "") + "\n";
  std::vector<std::vector<report::Cell>> rows;
  const auto row = [&](const char* title, const std::string& text, Paint paint = Paint::kNone) {
    if (!text.empty()) rows.push_back({{title, Paint::kDim}, {report::visible(text), paint}});
  };
  row("what", request.resource, Paint::kBold);
  if (request.named != request.resource) row("named", request.named);
  row("in", command);
  if (!request.risk.words.empty())
    row("risk", fmt::format("{}: {}", word_of(request.risk.level), request.risk.words), paint_of(request.risk.level));
  row("rule", request.rule);
  if (request.grant)
    row("grant",
        plan::flag_of(*request.grant) + (request.once ? " (session, always); once allows only this call" : ""));
  return out + report::table(rows, 2, format) + keys_of(request, format.colour);
}

TerminalApprovalUi::TerminalApprovalUi(session::ApprovalQueue& queue, std::string command, HostView& host)
    : queue_(queue), command_(std::move(command)), host_(host) {}

bool TerminalApprovalUi::is_available() {
  const auto terminal = sys::Fd::adopt(::open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC));
  return terminal.is_open() && ::isatty(terminal.raw()) == 1;
}

void TerminalApprovalUi::begin(sys::EventLoop& loop, supervisor::Streams& streams) {
  loop_ = &loop;
  streams_ = &streams;
  terminal_ = sys::Fd::adopt(::open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC));
  screen_.open(loop, terminal_.raw());
}

// A background process that reads from the terminal is stopped by SIGTTIN, with no visible reason.
bool TerminalApprovalUi::is_in_foreground() const {
  return terminal_.is_open() && ::tcgetpgrp(terminal_.raw()) == ::getpgrp();
}

void TerminalApprovalUi::requested(const ApprovalRequest& request) {
  waiting_.push_back(request);
  show_next();
}

void TerminalApprovalUi::settled(const ApprovalRequest& request, std::optional<ApprovalDecision> decision) {
  std::erase_if(waiting_, [&](const ApprovalRequest& each) { return each.id == request.id; });
  if (!shown_ || shown_->id != request.id) return;
  hide(decision ? fmt::format("decided elsewhere: {}", words_of(*decision)) : "withdrawn: the call no longer waits");
  show_next();
}

void TerminalApprovalUi::show_next() {
  while (!shown_ && !waiting_.empty() && loop_ != nullptr) {
    ApprovalRequest next = std::move(waiting_.front());
    waiting_.pop_front();
    if (!is_in_foreground()) {
      queue_.decide(next.id, ApprovalDecision::kDeny, "no terminal: Pinfold runs in the background");
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
        request_text(*shown_, command_, format_for(terminal_.raw(), host_)));
    screen_.when_taken([this, id = shown_->id] { start_reading(id); });
  }
}

// Called when the terminal has the request: keys typed before that are discarded. The prompt line is printed after the
// flush, which can be late on a busy machine: keys that the user types after seeing the prompt are never flushed.
void TerminalApprovalUi::start_reading(std::uint64_t request) {
  if (!shown_ || shown_->id != request) return;
  ::tcflush(terminal_.raw(), TCIFLUSH);
  const bool fences = understands_sequences(host_) && answers_fence_;
  typed_.start(fences ? TypedLine::Fence::kSent : TypedLine::Fence::kNone, sys::Clock::now());
  // A terminal replies in order: replies before the one to the fence belong to sequences of the command.
  say(std::string(kAsk) + std::string(fences ? TypedLine::kFence : ""));
  if (fences) fence_timer_ = loop_->after(TypedLine::kFenceTimeout, [this] { take_held_keys(); });
  reading_ = loop_->add(terminal_.raw(), sys::EventLoop::Interest::kRead, [this] { read_keys(); }).has_value();
  if (!reading_) settle_shown(ApprovalDecision::kDeny);
}

void TerminalApprovalUi::hide(const std::string& last_words) {
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

// This terminal does not reply to the fence: keys typed since the request appeared count, and no fence is sent again.
void TerminalApprovalUi::take_held_keys() {
  fence_timer_.reset();
  if (!shown_ || !typed_.is_fence_pending()) return;
  answers_fence_ = false;
  const std::uint64_t shown_id = shown_->id;
  for (const char key : typed_.give_up_on_fence())
    if (shown_ && shown_->id == shown_id) act_on(typed_.press(key), key);
}

void TerminalApprovalUi::read_keys() {
  std::array<char, 256> bytes{};
  const ssize_t size = ::read(terminal_.raw(), bytes.data(), bytes.size());
  if (size < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (size <= 0) return settle_shown(ApprovalDecision::kDeny);  // the terminal is gone
  const auto now = sys::Clock::now();
  // Bytes after a decision in the same read were typed before the next request.
  const std::uint64_t shown_id = shown_->id;
  for (ssize_t i = 0; i < size && shown_ && shown_->id == shown_id; ++i) {
    const char byte = bytes[static_cast<std::size_t>(i)];
    act_on(typed_.take(byte, now), byte);
  }
}

void TerminalApprovalUi::act_on(TypedLine::Step step, char key) {
  switch (step.event) {
    case TypedLine::Event::kNothing: break;
    case TypedLine::Event::kEcho: say(std::string(1, key)); break;
    case TypedLine::Event::kErase: say(erased(step.erase)); break;
    case TypedLine::Event::kEndOfInput: settle_shown(ApprovalDecision::kDeny); break;
    case TypedLine::Event::kLine: decide(); break;
    case TypedLine::Event::kDropped: say(std::string(kTooSoon) + kAsk); break;
    case TypedLine::Event::kInterrupt: {
      supervisor::Streams* streams = streams_;
      settle_shown(ApprovalDecision::kDeny);
      if (streams != nullptr) streams->interrupt();
      break;
    }
  }
}

// One of the offered letters decides; an empty line denies; anything else asks again.
void TerminalApprovalUi::decide() {
  const std::string line = typed_.line();
  say(erased(line.size()));
  typed_.clear();
  if (line.empty() || line == "n" || line == "N") return settle_shown(ApprovalDecision::kDeny);
  for (const Choice& each : kChoices)
    if (line.size() == 1 && (line[0] == each.key || line[0] == each.key - 'a' + 'A') &&
        is_offered(*shown_, each.decision))
      return settle_shown(each.decision);
  say(fmt::format("{} is not one of the letters\n{}", report::visible(line), kAsk));
}

void TerminalApprovalUi::settle_shown(ApprovalDecision decision) {
  const std::uint64_t id = shown_->id;
  hide(words_of(decision));
  queue_.decide(id, decision, "terminal");
  show_next();
}

void TerminalApprovalUi::close() {
  hide("the command has ended");
  screen_.close();
  waiting_.clear();
  loop_ = nullptr;
  streams_ = nullptr;
}

}  // namespace pinfold::cli
