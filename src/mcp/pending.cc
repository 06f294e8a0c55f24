// pending.cc: a map of who waits, and a queue of deadlines.
#include "mcp/pending.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace pinfold::mcp {
namespace {

constexpr std::size_t kMostAbandoned = 1000;

}  // namespace

RequestId Pending::add(Waiting waiting, Time now) {
  const RequestId id = next_++;
  Entry& entry = waiting_.emplace(id, Entry{std::move(waiting), {}, {}, {}}).first->second;
  if (entry.waiting.patience.at_most > milliseconds(0)) {
    entry.last_due = now + entry.waiting.patience.at_most;
    schedule(id, entry, now);
  }
  return id;
}

void Pending::schedule(RequestId id, Entry& entry, Time now) {
  unschedule(id, entry);
  entry.due = std::min(now + entry.waiting.patience.each, *entry.last_due);
  deadlines_.emplace(*entry.due, id);
}

void Pending::unschedule(RequestId id, const Entry& entry) {
  if (entry.due) deadlines_.erase({*entry.due, id});
}

std::optional<Waiting> Pending::take(RequestId id) {
  const auto found = waiting_.find(id);
  if (found == waiting_.end()) return std::nullopt;
  unschedule(id, found->second);
  std::optional<Waiting> out = std::move(found->second.waiting);
  waiting_.erase(found);
  return out;
}

std::optional<Waiting> Pending::abandon(RequestId id) {
  auto out = take(id);
  if (!out) return out;
  abandoned_.push_back(id);
  if (abandoned_.size() > kMostAbandoned) abandoned_.pop_front();
  return out;
}

std::vector<Waiting> Pending::take_all() {
  std::vector<Waiting> out;
  for (auto& [id, entry] : waiting_) out.push_back(std::move(entry.waiting));
  waiting_.clear();
  deadlines_.clear();
  return out;
}

std::optional<RequestId> Pending::number(const Id& id) {
  RequestId out = 0;
  const char* end = id.token.data() + id.token.size();
  const auto [stop, error] = std::from_chars(id.token.data(), end, out);
  if (error != std::errc() || stop != end || out <= 0) return std::nullopt;
  return out;
}

Pending::Stray Pending::stray(const Id& id) const {
  const auto asked = number(id);
  if (!asked || *asked >= next_) return Stray::kUnknown;
  const bool late = std::find(abandoned_.begin(), abandoned_.end(), *asked) != abandoned_.end();
  return late ? Stray::kLate : Stray::kDuplicate;
}

const Waiting* Pending::progressed(RequestId id, double done, Time now) {
  const auto found = waiting_.find(id);
  if (found == waiting_.end()) return nullptr;
  Entry& entry = found->second;
  // Progress that does not grow would keep a request alive for nothing.
  if (entry.done && done <= *entry.done) return nullptr;
  entry.done = done;
  if (entry.last_due) schedule(id, entry, now);
  return &entry.waiting;
}

std::vector<RequestId> Pending::overdue(Time now) const {
  std::vector<RequestId> out;
  for (const auto& [due, id] : deadlines_) {
    if (due > now) break;
    out.push_back(id);
  }
  return out;
}

std::string Pending::method_of(RequestId id) const {
  const auto found = waiting_.find(id);
  return found == waiting_.end() ? std::string() : found->second.waiting.method;
}

std::optional<Time> Pending::next_deadline() const {
  if (deadlines_.empty()) return std::nullopt;
  return deadlines_.begin()->first;
}

}  // namespace pinfold::mcp
