// choose.cc: tries the candidates in order and keeps the best.
// Invariant: an unexpected error (not kUnavailable) ends the choice and is reported; no other candidate is tried.
// Not here: whether a gap is accepted (admit.cc).
#include "supervisor/choose.h"

#include <algorithm>
#include <utility>

#include "base/try.h"

namespace pinfold::supervisor {
namespace {

struct GapCount {
  std::size_t absent = 0;
  std::size_t partial = 0;
  auto operator<=>(const GapCount&) const = default;
};

GapCount gap_count(const std::vector<Coverage>& coverage) {
  GapCount lack;
  for (const Coverage& row : gaps_that_refuse(coverage))
    ++(row.strength == Strength::kAbsent ? lack.absent : lack.partial);
  return lack;
}

std::string gaps_in_words(const std::vector<Coverage>& coverage) {
  std::string out;
  for (const Coverage& row : gaps_that_refuse(coverage))
    out += (out.empty() ? "" : ", ") + row.step + (row.strength == Strength::kAbsent ? " not enforced" : " partial");
  return out;
}

std::string why(const Attempt& attempt) {
  if (attempt.error) return attempt.error->text();
  const std::string gaps = gaps_in_words(attempt.coverage);
  return gaps.empty() ? "enforces every required step" : "gaps in required steps: " + gaps;
}

// Makes a sandbox and gets its coverage, or the reason why it cannot be made.
Attempt try_backend(backend::Backend& backend, const Plan& plan) {
  auto sandbox = backend.prepare(plan);
  auto usable = sandbox ? (*sandbox)->rehearse() : tl::unexpected<Error>(sandbox.error());
  if (!usable) return {&backend, std::move(usable).error(), {}};
  return {&backend, std::nullopt, (*sandbox)->coverage()};
}

}  // namespace

std::optional<std::size_t> best_of(const std::vector<Attempt>& attempts) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    if (attempts[i].error) continue;
    if (!best || gap_count(attempts[i].coverage) < gap_count(attempts[*best].coverage)) best = i;
  }
  return best;
}

std::vector<Candidate> candidates_of(const std::vector<Attempt>& attempts, std::optional<std::size_t> chosen) {
  std::vector<Candidate> out;
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    const Attempt& one = attempts[i];
    out.push_back(
        {std::string(one.backend->name()), chosen == i, !one.error, why(one), one.error ? one.error->fix() : ""});
  }
  return out;
}

Error no_usable_backend(const std::vector<Attempt>& attempts) {
  if (attempts.size() == 1) return *attempts[0].error;
  std::string reasons;
  std::string fix;
  for (const Attempt& one : attempts) {
    reasons += (reasons.empty() ? "" : "; ") + std::string(one.backend->name()) + ": " + one.error->text();
    if (fix.empty()) fix = one.error->fix();
  }
  return {ErrorKind::kUnavailable, "no backend can be used here: " + reasons, fix};
}

std::vector<Attempt> survey(const std::vector<backend::Backend*>& candidates, const Plan& plan) {
  std::vector<Attempt> attempts;
  attempts.reserve(candidates.size());
  for (backend::Backend* candidate : candidates) attempts.push_back(try_backend(*candidate, plan));
  return attempts;
}

backend::Backend* first_without_gap(const std::vector<backend::Backend*>& candidates, const Plan& plan) {
  for (backend::Backend* candidate : candidates)
    if (const Attempt one = try_backend(*candidate, plan); !one.error && gaps_that_refuse(one.coverage).empty())
      return candidate;
  return nullptr;
}

Result<void> Choice::make() { return try_next(); }

Result<void> Choice::try_next() {
  while (next_ < candidates_.size()) {
    const First first = next_ == 0 ? first_ : First::kRehearse;
    backend::Backend& backend = *candidates_[next_++];
    attempts_.push_back({&backend, std::nullopt, {}});
    PF_CHECK(make_sandbox(backend, first));
    if (sandbox_ && gaps_that_refuse(sandbox_->coverage()).empty()) return {};
  }
  return fall_back();
}

// Every candidate has been tried, and each has a gap in a required step.
Result<void> Choice::fall_back() {
  const auto best = best_of(attempts_);
  if (!best && attempts_.empty())
    return fail(ErrorKind::kUnavailable, "this program was built without a sandbox for this system");
  if (!best) {
    sandbox_.reset();
    return tl::unexpected<Error>(no_usable_backend(attempts_));
  }
  backend::Backend& backend = *attempts_[*best].backend;
  if (sandbox_ && current_ == &backend) return {};
  PF_CHECK(make_sandbox(backend, First::kRehearse));
  // It was usable before; if it is not now, its attempt has an error, so the recursion ends.
  return sandbox_ ? Result<void>{} : fall_back();
}

// Afterwards a sandbox exists and its attempt has the coverage, or there is none and the attempt has the error.
Result<void> Choice::make_sandbox(backend::Backend& backend, First first) {
  sandbox_.reset();
  current_ = &backend;
  retried_ = false;
  auto sandbox = backend.prepare(plan_);
  Result<void> usable = sandbox ? Result<void>{} : tl::unexpected<Error>(sandbox.error());
  // Coverage before a rehearsal is only a claim; rehearse before comparing with another candidate.
  if (usable && (first == First::kRehearse || !gaps_that_refuse((*sandbox)->coverage()).empty()))
    usable = (*sandbox)->rehearse();
  if (usable) {
    sandbox_ = std::move(*sandbox);
    attempt().error.reset();
    attempt().coverage = sandbox_->coverage();
    return {};
  }
  attempt().error = usable.error();
  return usable.error().kind() == ErrorKind::kUnavailable ? Result<void>{} : usable;
}

Attempt& Choice::attempt() {
  return *std::find_if(attempts_.begin(), attempts_.end(), [&](const Attempt& one) { return one.backend == current_; });
}

Result<void> Choice::remake(const Error& why) {
  if (sandbox_->usable() && !retried_) {
    retried_ = true;
    attempt().coverage = sandbox_->coverage();
    if (gaps_that_refuse(sandbox_->coverage()).empty()) return {};
  } else {
    attempt().error = why;
    sandbox_.reset();
  }
  return try_next();
}

std::vector<Candidate> Choice::candidates() const {
  std::optional<std::size_t> chosen;
  for (std::size_t i = 0; i < attempts_.size(); ++i)
    if (sandbox_ && attempts_[i].backend == current_) chosen = i;
  return candidates_of(attempts_, chosen);
}

}  // namespace pinfold::supervisor
