// approval_queue.cc: shows requests, takes decisions and remembers them.
#include "session/approval_queue.h"

#include <algorithm>

namespace pinfold::session {
namespace {

constexpr std::size_t kMaxWaiting = 64;
constexpr std::size_t kMaxPerWindow = 30;  // requests that are shown
constexpr auto kRateWindow = std::chrono::minutes(1);

bool is_offered(const ApprovalRequest& request, ApprovalDecision decision) {
  if (decision == ApprovalDecision::kOnce) return request.once;
  return decision == ApprovalDecision::kDeny || request.grant.has_value();
}

}  // namespace

void ApprovalQueue::remove_ui(const ApprovalUi& ui) { std::erase(uis_, &ui); }

std::vector<ApprovalRequest> ApprovalQueue::waiting() const {
  std::vector<ApprovalRequest> out;
  std::set<Key> seen;
  for (const Waiting& each : waiting_)
    if (seen.insert(key_of(each.request)).second) out.push_back(each.request);
  return out;
}

bool ApprovalQueue::may_ask() {
  const auto time = now();
  while (!shown_at_.empty() && time - shown_at_.front() >= kRateWindow) shown_at_.pop_front();
  if (waiting_.size() >= kMaxWaiting || shown_at_.size() >= kMaxPerWindow) return false;
  shown_at_.push_back(time);
  return true;
}

void ApprovalQueue::begin(sys::EventLoop& loop, supervisor::Streams& streams) {
  for (ApprovalUi* each : std::vector<ApprovalUi*>(uis_)) each->begin(loop, streams);
}

void ApprovalQueue::end() {
  waiting_.clear();
  for (ApprovalUi* each : std::vector<ApprovalUi*>(uis_)) each->end();
}

void ApprovalQueue::ask(ApprovalRequest request, Reply reply) {
  if (hooks_.assess) request.risk = hooks_.assess(request);
  const Key key = key_of(request);
  if (const auto known = decided_.find(key); known != decided_.end()) return reply(known->second);
  const bool is_waiting =
      std::any_of(waiting_.begin(), waiting_.end(), [&](const Waiting& each) { return key_of(each.request) == key; });
  if (refuses_) {
    ++refused_;
    return reply(ApprovalDecision::kDeny);
  }
  if (is_waiting ? waiting_.size() >= kMaxWaiting : !may_ask()) {
    ++flooded_;
    return reply(ApprovalDecision::kDeny);
  }
  waiting_.push_back({std::move(request), std::move(reply)});
  if (!is_waiting) show(ApprovalRequest(waiting_.back().request));
}

void ApprovalQueue::show(const ApprovalRequest& request) {
  if (hooks_.requested) hooks_.requested(request);
  for (ApprovalUi* each : std::vector<ApprovalUi*>(uis_)) each->requested(request);
}

bool ApprovalQueue::decide(std::uint64_t id, ApprovalDecision decision, const std::string& by) {
  const auto which =
      std::find_if(waiting_.begin(), waiting_.end(), [&](const Waiting& each) { return each.request.id == id; });
  if (which == waiting_.end() || !is_offered(which->request, decision)) return false;
  settle(which, decision, by);
  return true;
}

// Equal requests get the same decision. kOnce decides only one request, and then the next equal one is shown.
void ApprovalQueue::settle(const std::deque<Waiting>::iterator& which, ApprovalDecision decision,
                           const std::string& by) {
  const Waiting first = std::move(*which);
  waiting_.erase(which);
  const Key key = key_of(first.request);
  std::vector<Waiting> equals;
  if (decision != ApprovalDecision::kOnce) {
    decided_[key] = decision;
    const auto rest = std::stable_partition(waiting_.begin(), waiting_.end(),
                                            [&](const Waiting& each) { return key_of(each.request) != key; });
    std::move(rest, waiting_.end(), std::back_inserter(equals));
    waiting_.erase(rest, waiting_.end());
  }
  if (hooks_.decided) hooks_.decided(first.request, decision, by);
  for (ApprovalUi* each : std::vector<ApprovalUi*>(uis_)) each->settled(first.request, decision);
  if (decision == ApprovalDecision::kAlways) always_ = first.request;
  first.reply(decision);
  always_.reset();
  for (const Waiting& each : equals) each.reply(decision);
  if (decision != ApprovalDecision::kOnce) return;
  const auto next =
      std::find_if(waiting_.begin(), waiting_.end(), [&](const Waiting& each) { return key_of(each.request) == key; });
  if (next != waiting_.end()) show(ApprovalRequest(next->request));
}

void ApprovalQueue::refuse_all(std::string why) {
  refuses_ = true;
  refused_because_ = std::move(why);
  for (; !waiting_.empty(); ++refused_) settle(waiting_.begin(), ApprovalDecision::kDeny, refused_because_);
}

void ApprovalQueue::withdraw(std::uint64_t id) {
  const auto which =
      std::find_if(waiting_.begin(), waiting_.end(), [&](const Waiting& each) { return each.request.id == id; });
  if (which == waiting_.end()) return;
  const ApprovalRequest gone = std::move(which->request);
  const Key key = key_of(gone);
  const bool was_shown =
      std::find_if(waiting_.begin(), which, [&](const Waiting& each) { return key_of(each.request) == key; }) == which;
  waiting_.erase(which);
  if (!was_shown) return;
  for (ApprovalUi* each : std::vector<ApprovalUi*>(uis_)) each->settled(gone, std::nullopt);
  const auto next =
      std::find_if(waiting_.begin(), waiting_.end(), [&](const Waiting& each) { return key_of(each.request) == key; });
  if (next != waiting_.end()) show(ApprovalRequest(next->request));
}

void ApprovalQueue::granted(const Grant& grant, ApprovalDecision decision) {
  if (decision != ApprovalDecision::kSession && decision != ApprovalDecision::kAlways) return;
  if (decision == ApprovalDecision::kAlways && always_ && hooks_.remember) hooks_.remember(*always_, grant);
  const auto known =
      std::find_if(grants_.begin(), grants_.end(), [&](const LiveGrant& each) { return each.grant == grant; });
  if (known != grants_.end()) return;
  grants_.push_back({next_grant_++, grant, decision, std::chrono::system_clock::now()});
  for (ApprovalUi* each : std::vector<ApprovalUi*>(uis_)) each->grants_changed();
}

Result<void> ApprovalQueue::revoke(std::uint64_t grant) {
  const auto which =
      std::find_if(grants_.begin(), grants_.end(), [&](const LiveGrant& each) { return each.id == grant; });
  if (which == grants_.end()) return fail(ErrorKind::kNotFound, "there is no such grant", "see the list of grants");
  if (!take_back)
    return fail(ErrorKind::kUnavailable, "this sandbox cannot revoke a grant", "end it and start it again");
  // Before take_back(): the plan without the grant is compiled from the stored grants.
  if (which->decision == ApprovalDecision::kAlways && hooks_.forget) hooks_.forget(which->grant);
  if (auto taken = take_back(which->grant); !taken) return taken;
  // Later equal requests must be shown again.
  std::erase_if(decided_, [](const auto& each) { return each.second != ApprovalDecision::kDeny; });
  grants_.erase(which);
  for (ApprovalUi* each : std::vector<ApprovalUi*>(uis_)) each->grants_changed();
  return {};
}

void ApprovalQueue::denied(const Denial& denial) {
  for (ApprovalUi* each : std::vector<ApprovalUi*>(uis_)) each->denied(denial);
}

void ApprovalQueue::connected(const Connection& connection) {
  for (ApprovalUi* each : std::vector<ApprovalUi*>(uis_)) each->connected(connection);
}

}  // namespace pinfold::session
