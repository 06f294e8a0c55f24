// approval_queue.h: the questions of one sandbox that wait for an answer, what was answered, and what came of it.
// Invariant: equal questions are put once: a no, and a yes for longer than once, hold as long as the board does; the
// first answer counts; whoever asks too much is told no. Not here: how a person is asked (a Face), what a yes changes
// in the sandbox (supervisor), what outlives it (grant_store.h).
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

#include "pinfold/question.h"
#include "pinfold/report.h"
#include "pinfold/result.h"
#include "supervisor/asker.h"

namespace pinfold::session {

// Somebody who can answer, or looks on. Called from the event loop; may answer at once.
class Face {
 public:
  virtual ~Face() = default;
  // The command runs, and has ended.
  virtual void begin(sys::EventLoop& loop, supervisor::Streams& streams) {
    static_cast<void>(loop), static_cast<void>(streams);
  }
  virtual void end() {}
  virtual void asked(const AccessQuestion& question) = 0;
  // Nothing: whoever waited is gone.
  virtual void settled(const AccessQuestion& question, std::optional<Answer> answer) = 0;
  virtual void denied(const Denial& denial) { static_cast<void>(denial); }
  virtual void connected(const Connection& connection) { static_cast<void>(connection); }
  virtual void grants_changed() {}
};

// In force in the running sandbox.
struct LiveGrant {
  std::uint64_t id = 0;
  Grant grant;
  Answer answer = Answer::kSession;
  std::chrono::system_clock::time_point since;
};

class Board final : public supervisor::Asker {
 public:
  struct Hooks {
    // A yes for always is in force: it shall be there the next time.
    std::function<void(const AccessQuestion& question, const Grant& grant)> remember{};
    // The same yes is taken back.
    std::function<void(const Grant& grant)> forget{};
    // What could come of a yes.
    std::function<Risk(const AccessQuestion& question)> assess{};
    // For the journal.
    std::function<void(const AccessQuestion& question)> asked{};
    std::function<void(const AccessQuestion& question, Answer answer, const std::string& by)> answered{};
  };
  using Clock = std::chrono::steady_clock;

  explicit Board(Hooks hooks) : hooks_(std::move(hooks)) {}

  void join(Face& face) { faces_.push_back(&face); }
  void leave(const Face& face);

  // False: nobody waits for it (answered already, or gone), or this answer is not on offer.
  bool answer(std::uint64_t id, Answer answer, const std::string& by);
  // No to everything that waits, and from now on. `why` is for the report.
  void refuse_all(std::string why);
  // kNotFound: there is none of this number.
  Result<void> revoke(std::uint64_t grant);

  std::vector<AccessQuestion> waiting() const;
  const std::vector<LiveGrant>& grants() const { return grants_; }
  // Questions that were answered no without asking, because there were too many.
  std::uint64_t flooded() const { return flooded_; }
  // Questions that refuse_all() answered, and why.
  std::uint64_t refused() const { return refused_; }
  const std::string& refused_because() const { return refused_because_; }

  void begin(sys::EventLoop& loop, supervisor::Streams& streams) override;
  void end() override;
  void ask(AccessQuestion question, Reply reply) override;
  void withdraw(std::uint64_t id) override;
  void granted(const Grant& grant, Answer answer) override;
  void denied(const Denial& denial) override;
  void connected(const Connection& connection) override;

  std::function<Clock::time_point()> now = Clock::now;

 private:
  struct Waiting {
    AccessQuestion question;
    Reply reply;
  };
  using Key = std::pair<std::string, std::string>;  // operation, resource
  static Key key_of(const AccessQuestion& question) { return {question.operation, question.resource}; }
  bool may_ask();
  void put(const AccessQuestion& question);
  void settle(const std::deque<Waiting>::iterator& which, Answer answer, const std::string& by);

  Hooks hooks_;
  std::vector<Face*> faces_;
  std::deque<Waiting> waiting_;  // the first of equals is shown, the others wait for its answer
  std::map<Key, Answer> answered_;
  std::deque<Clock::time_point> put_at_;
  std::vector<LiveGrant> grants_;
  std::optional<AccessQuestion> always_;  // answered so just now
  std::uint64_t next_grant_ = 1;
  std::uint64_t flooded_ = 0;
  std::uint64_t refused_ = 0;
  bool refuses_ = false;
  std::string refused_because_;
};

}  // namespace pinfold::session
