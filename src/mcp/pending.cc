// pending.cc: a map of pending requests, and a queue of deadlines.
#include "mcp/pending.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace pinfold::mcp {
namespace {

constexpr std::size_t kMostAbandoned = 1000;

}  // namespace

RequestId PendingRequests::add(PendingRequest request, Time now) {
  const RequestId id = next_++;
  Entry& entry = requests_.emplace(id, Entry{std::move(request), {}, {}, {}}).first->second;
  if (entry.request.timeouts.at_most > milliseconds(0)) {
    entry.last_due = now + entry.request.timeouts.at_most;
    schedule(id, entry, now);
  }
  return id;
}

void PendingRequests::schedule(RequestId id, Entry& entry, Time now) {
  unschedule(id, entry);
  entry.due = std::min(now + entry.request.timeouts.each, *entry.last_due);
  deadlines_.emplace(*entry.due, id);
}

void PendingRequests::unschedule(RequestId id, const Entry& entry) {
  if (entry.due) deadlines_.erase({*entry.due, id});
}

std::optional<PendingRequest> PendingRequests::take(RequestId id) {
  const auto found = requests_.find(id);
  if (found == requests_.end()) return std::nullopt;
  unschedule(id, found->second);
  std::optional<PendingRequest> out = std::move(found->second.request);
  requests_.erase(found);
  return out;
}

std::optional<PendingRequest> PendingRequests::abandon(RequestId id) {
  auto out = take(id);
  if (!out) return out;
  abandoned_.push_back(id);
  if (abandoned_.size() > kMostAbandoned) abandoned_.pop_front();
  return out;
}

std::vector<PendingRequest> PendingRequests::take_all() {
  std::vector<PendingRequest> out;
  for (auto& [id, entry] : requests_) out.push_back(std::move(entry.request));
  requests_.clear();
  deadlines_.clear();
  return out;
}

std::optional<RequestId> PendingRequests::number(const Id& id) {
  RequestId out = 0;
  const char* end = id.token.data() + id.token.size();
  const auto [stop, error] = std::from_chars(id.token.data(), end, out);
  if (error != std::errc() || stop != end || out <= 0) return std::nullopt;
  return out;
}

PendingRequests::Stray PendingRequests::stray(const Id& id) const {
  const auto asked = number(id);
  if (!asked || *asked >= next_) return Stray::kUnknown;
  const bool late = std::find(abandoned_.begin(), abandoned_.end(), *asked) != abandoned_.end();
  return late ? Stray::kLate : Stray::kDuplicate;
}

const PendingRequest* PendingRequests::progressed(RequestId id, double done, Time now) {
  const auto found = requests_.find(id);
  if (found == requests_.end()) return nullptr;
  Entry& entry = found->second;
  // Otherwise a server could extend its deadline for ever with the same progress value.
  if (entry.done && done <= *entry.done) return nullptr;
  entry.done = done;
  if (entry.last_due) schedule(id, entry, now);
  return &entry.request;
}

std::vector<RequestId> PendingRequests::overdue(Time now) const {
  std::vector<RequestId> out;
  for (const auto& [due, id] : deadlines_) {
    if (due > now) break;
    out.push_back(id);
  }
  return out;
}

std::string PendingRequests::method_of(RequestId id) const {
  const auto found = requests_.find(id);
  return found == requests_.end() ? std::string() : found->second.request.method;
}

std::optional<Time> PendingRequests::next_deadline() const {
  if (deadlines_.empty()) return std::nullopt;
  return deadlines_.begin()->first;
}

}  // namespace pinfold::mcp
