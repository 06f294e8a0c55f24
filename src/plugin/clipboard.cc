// clipboard.cc: visitors of the socket, served one after the other.
// Invariant: a visitor that says nothing, too much, or does not listen costs its place for half a minute, and nothing
// else. Not here: the programs that know the clipboard (clipboard_tool.cc).
#include "plugin/clipboard.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/try.h"

namespace pinfold::plugin {
namespace {

using namespace std::chrono_literals;
using Interest = sys::EventLoop::Interest;

constexpr std::size_t kMostVisits = 16;  // the others wait where connections wait
constexpr auto kPatience = 30s;          // with a visitor
constexpr auto kToolPatience = 10s;
constexpr auto kPause = 100ms;  // between two uses
constexpr std::string_view kCopy = "copy\n";
constexpr std::string_view kPaste = "paste\n";

}  // namespace

Clipboard::Clipboard(sys::EventLoop& loop, sys::Fd listener, Result<ClipboardTools> tools,
                     std::function<void(const ClipboardUse&)> used)
    : loop_(loop), listener_(std::move(listener)), tools_(std::move(tools)), used_(std::move(used)) {}

Clipboard::~Clipboard() {
  if (pause_ != 0) loop_.cancel(pause_);
  while (!visits_.empty()) dismiss(visits_.begin());
  loop_.remove(listener_.raw());
}

Result<void> Clipboard::start() {
  return loop_.add(listener_.raw(), Interest::kRead, [this] { admit(); });
}

void Clipboard::admit() {
  auto peer = sys::Fd::adopt(::accept4(listener_.raw(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!peer.is_open()) return;
  visits_.push_back({});
  const auto visit = std::prev(visits_.end());
  visit->peer = std::move(peer);
  if (!loop_.add(visit->peer.raw(), Interest::kRead, [this, visit] { listen(visit); })) {
    visits_.erase(visit);
    return;
  }
  visit->patience = loop_.after(kPatience, [this, visit] {
    visit->patience = 0;
    dismiss(visit);
    serve_next();
  });
  if (visits_.size() >= kMostVisits) loop_.set_interest(listener_.raw(), Interest::kNone);
}

void Clipboard::listen(Visits::iterator visit) {
  std::array<char, 65536> bytes;
  const ssize_t size = ::recv(visit->peer.raw(), bytes.data(), bytes.size(), 0);
  if (size < 0) {
    if (errno != EAGAIN && errno != EINTR) dismiss(visit);
    return;
  }
  visit->asked.append(bytes.data(), static_cast<std::size_t>(size));
  judge(visit, size == 0);
}

void Clipboard::judge(Visits::iterator visit, bool ended) {
  const std::string& asked = visit->asked;
  const bool copies = asked.starts_with(kCopy);
  if (copies && asked.size() - kCopy.size() > kLongestClip)
    return answer(visit, fmt::format("error: more than {} bytes\n", kLongestClip));
  const bool pastes = asked.starts_with(kPaste);
  if (!pastes && !(copies && ended)) {
    const bool may_become = kCopy.starts_with(asked) || kPaste.starts_with(asked) || copies;
    if (ended || !may_become) answer(visit, "error: say \"paste\", or \"copy\" and a text, after a line's end\n");
    return;
  }
  visit->use.how = copies ? ClipboardUse::How::kCopy : ClipboardUse::How::kPaste;
  visit->stage = Visit::Stage::kWaiting;
  loop_.remove(visit->peer.raw());  // one that is gone would be told of again and again
  serve_next();
}

void Clipboard::serve_next() {
  if (run_ || pause_ != 0) return;
  const auto visit = std::find_if(visits_.begin(), visits_.end(),
                                  [](const Visit& one) { return one.stage == Visit::Stage::kWaiting; });
  if (visit == visits_.end()) return;
  visit->stage = Visit::Stage::kServed;
  pause_ = loop_.after(kPause, [this] {
    pause_ = 0;
    serve_next();
  });
  if (!tools_) return served(visit, tl::unexpected<Error>(tools_.error()));
  const bool copies = visit->use.how == ClipboardUse::How::kCopy;
  const std::string_view text = copies ? std::string_view(visit->asked).substr(kCopy.size()) : std::string_view();
  auto run = ToolRun::start(loop_, copies ? tools_->copy : tools_->paste,
                            copies ? ToolRun::Kind::kTakes : ToolRun::Kind::kGives, text, {kLongestClip, kToolPatience},
                            [this, visit](Result<std::string> got) { served(visit, std::move(got)); });
  if (!run) return served(visit, tl::unexpected<Error>(std::move(run).error()));
  run_ = std::move(*run);
}

void Clipboard::served(Visits::iterator visit, Result<std::string> got) {
  const bool copies = visit->use.how == ClipboardUse::How::kCopy;
  if (got)
    visit->use.bytes = copies ? visit->asked.size() - kCopy.size() : got->size();
  else
    visit->use.problem = got.error().text();
  used_(visit->use);
  answer(visit, got ? "ok\n" + *got : "error: " + visit->use.problem + "\n");
  run_.reset();
  serve_next();
}

void Clipboard::answer(Visits::iterator visit, const std::string& text) {
  visit->stage = Visit::Stage::kAnswering;
  visit->asked.clear();
  visit->answer = text;
  loop_.remove(visit->peer.raw());
  if (!loop_.add(visit->peer.raw(), Interest::kWrite, [this, visit] { speak(visit); })) dismiss(visit);
}

void Clipboard::speak(Visits::iterator visit) {
  const ssize_t size = ::send(visit->peer.raw(), visit->answer.data(), visit->answer.size(), MSG_NOSIGNAL);
  if (size < 0 && errno != EAGAIN && errno != EINTR) return dismiss(visit);
  if (size > 0) visit->answer.erase(0, static_cast<std::size_t>(size));
  if (!visit->answer.empty()) return;
  // A socket that is closed with something unread takes the answer along.
  ::shutdown(visit->peer.raw(), SHUT_WR);
  loop_.remove(visit->peer.raw());
  if (!loop_.add(visit->peer.raw(), Interest::kRead, [this, visit] { see_off(visit); })) dismiss(visit);
}

void Clipboard::see_off(Visits::iterator visit) {
  std::array<char, 65536> bytes;
  const ssize_t size = ::recv(visit->peer.raw(), bytes.data(), bytes.size(), 0);
  if (size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR)) dismiss(visit);
}

void Clipboard::dismiss(Visits::iterator visit) {
  if (visit->stage == Visit::Stage::kServed) run_.reset();
  if (visit->patience != 0) loop_.cancel(visit->patience);
  loop_.remove(visit->peer.raw());
  visits_.erase(visit);
  if (visits_.size() == kMostVisits - 1) loop_.set_interest(listener_.raw(), Interest::kRead);
}

}  // namespace pinfold::plugin
