// choose.h: chooses the backend of a plan by trying the candidates.
// Invariant: only one sandbox exists at a time, because two would find each other's placeholders; the user's command
// has not run when another candidate is tried; no result of an earlier run is used. Not here: whether a gap is accepted
// (admit.cc), which candidates there are (src/app).
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "backend/backend.h"
#include "pinfold/report.h"

namespace pinfold::supervisor {

// The result of trying one candidate: an error, or its final coverage.
struct Attempt {
  backend::Backend* backend = nullptr;
  std::optional<Error> error;      // it cannot make a sandbox on this host
  std::vector<Coverage> coverage;  // without an error
};

// The chosen attempt: the first without a gap in a required step; otherwise the one with the fewest absent steps, then
// with the fewest partial ones, then the first. nullopt: no candidate can make a sandbox.
std::optional<std::size_t> best_of(const std::vector<Attempt>& attempts);

// Each candidate with the reason why it was chosen or not.
std::vector<Candidate> candidates_of(const std::vector<Attempt>& attempts, std::optional<std::size_t> chosen);

// One error with the reasons of all candidates.
Error no_usable_backend(const std::vector<Attempt>& attempts);

// Tries every candidate, also those after the best, and removes the sandboxes. Runs nothing.
std::vector<Attempt> survey(const std::vector<backend::Backend*>& candidates, const Plan& plan);

// The first candidate that enforces every required step, or null. Removes the sandboxes that it makes; runs nothing.
backend::Backend* first_without_gap(const std::vector<backend::Backend*>& candidates, const Plan& plan);

class Choice {
 public:
  // kProbeByStart: the start of the first candidate is its test, so that a host where it works pays nothing for the
  // others. kRehearse: nothing will be started, so the first is rehearsed like every other.
  enum class First { kProbeByStart, kRehearse };
  Choice(std::vector<backend::Backend*> candidates, const Plan& plan, First first)
      : candidates_(std::move(candidates)), plan_(plan), first_(first) {}

  // Makes the best candidate's sandbox. Fails if no candidate can make one, or on an unexpected error.
  Result<void> make();
  // Call after start() failed with kUnavailable, when nothing has run. Makes the sandbox of the best remaining
  // candidate, which may be the same, existing one. The caller must check its coverage again.
  Result<void> remake(const Error& why);

  backend::Sandbox* sandbox() const { return sandbox_.get(); }
  std::string_view name() const { return sandbox_ ? current_->name() : std::string_view{}; }
  std::vector<Candidate> candidates() const;

 private:
  Result<void> try_next();
  Result<void> fall_back();
  Result<void> make_sandbox(backend::Backend& backend, First first);
  Attempt& attempt();

  std::vector<backend::Backend*> candidates_;
  const Plan& plan_;
  First first_;
  std::size_t next_ = 0;
  std::vector<Attempt> attempts_;
  backend::Backend* current_ = nullptr;
  std::unique_ptr<backend::Sandbox> sandbox_;
  bool retried_ = false;  // start() failed once in this sandbox, although it is usable
};

}  // namespace pinfold::supervisor
