// approval_queue.h: the pending approval requests of one sandbox, their decisions and the live grants.
// Invariant: equal requests are shown once; kDeny, kSession and kAlways also decide later equal requests; the first
// decision counts; requests beyond a rate limit are denied. Not here: prompts (an ApprovalUi), applying a grant to the
// sandbox (supervisor), permanent grants (grant_store.h).
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "pinfold/approval.h"
#include "pinfold/report.h"
#include "pinfold/result.h"
#include "supervisor/approver.h"

namespace pinfold::session {

// A user interface that can decide, or only watches. Called from the event loop; may call decide() at once.
class ApprovalUi {
 public:
  virtual ~ApprovalUi() = default;
  // begin(): the command has started. end(): it has ended.
  virtual void begin(sys::EventLoop& loop, supervisor::Streams& streams) {
    static_cast<void>(loop), static_cast<void>(streams);
  }
  virtual void end() {}
  virtual void requested(const ApprovalRequest& request) = 0;
  // nullopt: the requesting process has exited.
  virtual void settled(const ApprovalRequest& request, std::optional<ApprovalDecision> decision) = 0;
  virtual void denied(const Denial& denial) { static_cast<void>(denial); }
  virtual void connected(const Connection& connection) { static_cast<void>(connection); }
  virtual void grants_changed() {}
};

// A session or always grant of the running sandbox.
struct LiveGrant {
  std::uint64_t id = 0;
  Grant grant;
  ApprovalDecision decision = ApprovalDecision::kSession;
  std::chrono::system_clock::time_point since;
};

class ApprovalQueue final : public supervisor::Approver {
 public:
  struct Hooks {
    // Stores an always grant that is in force now.
    std::function<void(const ApprovalRequest& request, const Grant& grant)> remember{};
    // Removes a stored always grant.
    std::function<void(const Grant& grant)> forget{};
    // Rates the risk of an approval.
    std::function<Risk(const ApprovalRequest& request)> assess{};
    // Both are for the journal.
    std::function<void(const ApprovalRequest& request)> requested{};
    std::function<void(const ApprovalRequest& request, ApprovalDecision decision, const std::string& by)> decided{};
  };
  using Clock = std::chrono::steady_clock;

  explicit ApprovalQueue(Hooks hooks) : hooks_(std::move(hooks)) {}

  void add_ui(ApprovalUi& ui) { uis_.push_back(&ui); }
  void remove_ui(const ApprovalUi& ui);

  // False: the request is not pending (decided already, or withdrawn), or this decision is not offered.
  bool decide(std::uint64_t id, ApprovalDecision decision, const std::string& by);
  // Denies all pending and all later requests. `why` is for the report.
  void refuse_all(std::string why);
  // kNotFound: there is no grant with this id.
  Result<void> revoke(std::uint64_t grant);

  std::vector<ApprovalRequest> waiting() const;
  const std::vector<LiveGrant>& grants() const { return grants_; }
  // Requests denied because of the rate limit.
  std::uint64_t flooded() const { return flooded_; }
  // Requests denied by refuse_all(), and its reason.
  std::uint64_t refused() const { return refused_; }
  const std::string& refused_because() const { return refused_because_; }

  void begin(sys::EventLoop& loop, supervisor::Streams& streams) override;
  void end() override;
  void ask(ApprovalRequest request, Reply reply) override;
  void withdraw(std::uint64_t id) override;
  void granted(const Grant& grant, ApprovalDecision decision) override;
  void denied(const Denial& denial) override;
  void connected(const Connection& connection) override;

  std::function<Clock::time_point()> now = Clock::now;

 private:
  struct Waiting {
    ApprovalRequest request;
    Reply reply;
  };
  using Key = std::pair<std::string, std::string>;  // operation, resource
  static Key key_of(const ApprovalRequest& request) { return {request.operation, request.resource}; }
  bool may_ask();
  void show(const ApprovalRequest& request);
  void settle(const std::deque<Waiting>::iterator& which, ApprovalDecision decision, const std::string& by);

  Hooks hooks_;
  std::vector<ApprovalUi*> uis_;
  std::deque<Waiting> waiting_;  // of equal requests only the first is shown; the others wait for its decision
  std::map<Key, ApprovalDecision> decided_;
  std::deque<Clock::time_point> shown_at_;
  std::vector<LiveGrant> grants_;
  std::optional<ApprovalRequest> always_;  // the request that is being decided kAlways
  std::uint64_t next_grant_ = 1;
  std::uint64_t flooded_ = 0;
  std::uint64_t refused_ = 0;
  bool refuses_ = false;
  std::string refused_because_;
};

}  // namespace pinfold::session
