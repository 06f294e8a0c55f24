// pending.h: the requests in flight: whose they are, how long they may take.
// Invariant: an id is used once; whoever waits is told once. Time is what the caller says it is.
// Not here: sending, cancelling on the wire (conversation.h).
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

// How long a request may take.
struct Patience {
  milliseconds each{};     // until an answer or a progress
  milliseconds at_most{};  // zero: it may last as long as the server does
};

struct Waiting {
  std::string method;
  Patience patience;
  std::function<void(Answer)> answer;
  std::function<void(const Progress&)> progress;  // may be empty
};

class Pending {
 public:
  // What an answer is that nobody waits for.
  enum class Stray { kLate, kDuplicate, kUnknown };

  explicit Pending(RequestId first = 1) : next_(first) {}

  RequestId add(Waiting waiting, Time now);
  std::optional<Waiting> take(RequestId id);
  // The same, and its answer will be late instead of unknown.
  std::optional<Waiting> abandon(RequestId id);
  std::vector<Waiting> take_all();

  // None: nobody waits for it.
  static std::optional<RequestId> number(const Id& id);
  std::string method_of(RequestId id) const;  // empty: nobody waits for it
  Stray stray(const Id& id) const;

  // Starts the time anew; calls nobody if progress does not grow.
  const Waiting* progressed(RequestId id, double done, Time now);

  std::vector<RequestId> overdue(Time now) const;
  std::optional<Time> next_deadline() const;
  RequestId next_id() const { return next_; }
  std::size_t size() const { return waiting_.size(); }

 private:
  struct Entry {
    Waiting waiting;
    std::optional<Time> due, last_due;
    std::optional<double> done;
  };
  void schedule(RequestId id, Entry& entry, Time now);
  void unschedule(RequestId id, const Entry& entry);

  RequestId next_;
  std::map<RequestId, Entry> waiting_;
  std::set<std::pair<Time, RequestId>> deadlines_;
  std::deque<RequestId> abandoned_;  // the last ones
};

}  // namespace pinfold::mcp
