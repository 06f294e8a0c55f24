// choose.h: which backend runs a plan, found by trying them.
// Invariant: only one sandbox stands at a time, since two would stumble over each other's placeholders; nothing of the
// user's has run when another candidate is tried; no answer is older than this run.
// Not here: whether a gap is accepted (admit.cc), which candidates there are (src/app).
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "backend/backend.h"
#include "pinfold/report.h"

namespace pinfold::supervisor {

// How one candidate did: an error, or coverage that is final.
struct Attempt {
  backend::Backend* backend = nullptr;
  std::optional<Error> error;      // its walls cannot stand here
  std::vector<Coverage> coverage;  // otherwise
};

// The attempt that is taken: the first without a gap that refuses; if there is none, the one that lacks the fewest
// steps altogether, then the one with the fewest partial ones, then the first. None: no walls stand.
std::optional<std::size_t> best_of(const std::vector<Attempt>& attempts);

// Why each was taken or not, in words.
std::vector<Candidate> story_of(const std::vector<Attempt>& attempts, std::optional<std::size_t> chosen);

// No walls stand anywhere: every reason in one error.
Error nothing_stands(const std::vector<Attempt>& attempts);

// Tries every candidate, also those after the best, and leaves no walls standing. Runs nothing.
std::vector<Attempt> survey(const std::vector<backend::Backend*>& candidates, const Plan& plan);

class Choice {
 public:
  // kStartTells: the first candidate's start is its probe, so that a host where it works pays nothing for the others.
  // kRehearse: nothing will be started, so that the first is rehearsed like every other.
  enum class First { kStartTells, kRehearse };
  Choice(std::vector<backend::Backend*> candidates, const Plan& plan, First first)
      : candidates_(std::move(candidates)), plan_(plan), first_(first) {}

  // Raises the best candidate's walls. An error: no walls can stand, or something failed that says nothing about the
  // host.
  Result<void> make();
  // start() answered kUnavailable, so nothing has run: raises the walls of the best that is left, which may be the same
  // ones, standing. Their coverage has to be looked at again.
  Result<void> remake(const Error& why);

  backend::Sandbox* sandbox() const { return sandbox_.get(); }
  std::string_view name() const { return sandbox_ ? current_->name() : std::string_view{}; }
  std::vector<Candidate> story() const;

 private:
  Result<void> try_next();
  Result<void> fall_back();
  Result<void> raise(backend::Backend& backend, First first);
  Attempt& attempt();

  std::vector<backend::Backend*> candidates_;
  const Plan& plan_;
  First first_;
  std::size_t next_ = 0;
  std::vector<Attempt> attempts_;
  backend::Backend* current_ = nullptr;
  std::unique_ptr<backend::Sandbox> sandbox_;
  bool asked_again_ = false;  // start() failed once on these walls, though they can stand
};

}  // namespace pinfold::supervisor
