// pending.h: the requests in flight: their callbacks and their deadlines.
// Invariant: an id is used once; each callback is called once. The caller passes the time in.
// Not here: sending requests and cancellations (conversation.h).
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "mcp/failure.h"
#include "mcp/limits.h"

namespace pinfold::mcp {

using Answer = tl::expected<Json, Failure>;
using RequestId = std::int64_t;

struct Progress {
  double done = 0;
  std::optional<double> total;
  std::string message;
};

// The time limits of a request.
struct RequestTimeouts {
  milliseconds each{};     // until an answer or a progress notification
  milliseconds at_most{};  // zero: no limit while the server runs
};

struct PendingRequest {
  std::string method;
  RequestTimeouts timeouts;
  std::function<void(Answer)> answer;
  std::function<void(const Progress&)> progress;  // may be empty
};

class PendingRequests {
 public:
  // The kinds of answer without a pending request.
  enum class Stray { kLate, kDuplicate, kUnknown };

  explicit PendingRequests(RequestId first = 1) : next_(first) {}

  RequestId add(PendingRequest request, Time now);
  std::optional<PendingRequest> take(RequestId id);
  // As take(), but a later answer counts as kLate.
  std::optional<PendingRequest> abandon(RequestId id);
  std::vector<PendingRequest> take_all();

  // None: not an id of this client.
  static std::optional<RequestId> number(const Id& id);
  std::string method_of(RequestId id) const;  // empty: no such pending request
  Stray stray(const Id& id) const;

  // Restarts the time limit. Null if the progress did not grow.
  const PendingRequest* progressed(RequestId id, double done, Time now);

  std::vector<RequestId> overdue(Time now) const;
  std::optional<Time> next_deadline() const;
  RequestId next_id() const { return next_; }
  std::size_t size() const { return requests_.size(); }

 private:
  struct Entry {
    PendingRequest request;
    std::optional<Time> due, last_due;
    std::optional<double> done;
  };
  void schedule(RequestId id, Entry& entry, Time now);
  void unschedule(RequestId id, const Entry& entry);

  RequestId next_;
  std::map<RequestId, Entry> requests_;
  std::set<std::pair<Time, RequestId>> deadlines_;
  std::deque<RequestId> abandoned_;  // the newest kMostAbandoned
};

}  // namespace pinfold::mcp
