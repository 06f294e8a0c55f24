// choose.cc: tries the candidates in order and keeps the best.
// Invariant: an error that says nothing about the host ends the choice: what is unexpected is told, never worked
// around. Not here: whether a gap is accepted (admit.cc).
#include "supervisor/choose.h"

#include <algorithm>
#include <utility>

#include "base/try.h"

namespace pinfold::supervisor {
namespace {

struct Lack {
  std::size_t absent = 0;
  std::size_t partial = 0;
  auto operator<=>(const Lack&) const = default;
};

Lack lack_of(const std::vector<Coverage>& coverage) {
  Lack lack;
  for (const Coverage& row : gaps_that_refuse(coverage))
    ++(row.strength == Strength::kAbsent ? lack.absent : lack.partial);
  return lack;
}

std::string gaps_in_words(const std::vector<Coverage>& coverage) {
  std::string out;
  for (const Coverage& row : gaps_that_refuse(coverage))
    out +=
        (out.empty() ? "" : ", ") + row.step + (row.strength == Strength::kAbsent ? " not enforced" : " only in part");
  return out;
}

std::string why(const Attempt& attempt) {
  if (attempt.error) return attempt.error->text();
  const std::string gaps = gaps_in_words(attempt.coverage);
  return gaps.empty() ? "enforces all that is required" : "gaps in what is required: " + gaps;
}

// Walls that stand and are judged, or the reason why they do not.
Attempt tried(backend::Backend& backend, const Plan& plan) {
  auto sandbox = backend.prepare(plan);
  auto stands = sandbox ? (*sandbox)->rehearse() : tl::unexpected<Error>(sandbox.error());
  if (!stands) return {&backend, std::move(stands).error(), {}};
  return {&backend, std::nullopt, (*sandbox)->coverage()};
}

}  // namespace

std::optional<std::size_t> best_of(const std::vector<Attempt>& attempts) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    if (attempts[i].error) continue;
    if (!best || lack_of(attempts[i].coverage) < lack_of(attempts[*best].coverage)) best = i;
  }
  return best;
}

std::vector<Candidate> story_of(const std::vector<Attempt>& attempts, std::optional<std::size_t> chosen) {
  std::vector<Candidate> story;
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    const Attempt& one = attempts[i];
    story.push_back(
        {std::string(one.backend->name()), chosen == i, !one.error, why(one), one.error ? one.error->fix() : ""});
  }
  return story;
}

Error nothing_stands(const std::vector<Attempt>& attempts) {
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
  for (backend::Backend* candidate : candidates) attempts.push_back(tried(*candidate, plan));
  return attempts;
}

Result<void> Choice::make() { return try_next(); }

Result<void> Choice::try_next() {
  while (next_ < candidates_.size()) {
    const First first = next_ == 0 ? first_ : First::kRehearse;
    backend::Backend& backend = *candidates_[next_++];
    attempts_.push_back({&backend, std::nullopt, {}});
    PF_CHECK(raise(backend, first), "");
    if (sandbox_ && gaps_that_refuse(sandbox_->coverage()).empty()) return {};
  }
  return fall_back();
}

// Every candidate has been tried and none is without a gap that refuses.
Result<void> Choice::fall_back() {
  const auto best = best_of(attempts_);
  if (!best && attempts_.empty())
    return fail(ErrorKind::kUnavailable, "this program was built without a sandbox for this system");
  if (!best) {
    sandbox_.reset();
    return tl::unexpected<Error>(nothing_stands(attempts_));
  }
  backend::Backend& backend = *attempts_[*best].backend;
  if (sandbox_ && current_ == &backend) return {};
  PF_CHECK(raise(backend, First::kRehearse), "");
  // It stood a moment ago; if it does not now, its attempt has an error, and there is one less to fall back to.
  return sandbox_ ? Result<void>{} : fall_back();
}

// After this a sandbox stands and its attempt says how well, or none does and the attempt says why.
Result<void> Choice::raise(backend::Backend& backend, First first) {
  sandbox_.reset();
  current_ = &backend;
  asked_again_ = false;
  auto sandbox = backend.prepare(plan_);
  Result<void> stands = sandbox ? Result<void>{} : tl::unexpected<Error>(sandbox.error());
  // Walls that are not up yet may only claim; before another candidate is held against them they have to stand.
  if (stands && (first == First::kRehearse || !gaps_that_refuse((*sandbox)->coverage()).empty()))
    stands = (*sandbox)->rehearse();
  if (stands) {
    sandbox_ = std::move(*sandbox);
    attempt().error.reset();
    attempt().coverage = sandbox_->coverage();
    return {};
  }
  attempt().error = stands.error();
  return stands.error().kind() == ErrorKind::kUnavailable ? Result<void>{} : stands;
}

Attempt& Choice::attempt() {
  return *std::find_if(attempts_.begin(), attempts_.end(), [&](const Attempt& one) { return one.backend == current_; });
}

Result<void> Choice::remake(const Error& why) {
  if (sandbox_->usable() && !asked_again_) {
    asked_again_ = true;
    attempt().coverage = sandbox_->coverage();
    if (gaps_that_refuse(sandbox_->coverage()).empty()) return {};
  } else {
    attempt().error = why;
    sandbox_.reset();
  }
  return try_next();
}

std::vector<Candidate> Choice::story() const {
  std::optional<std::size_t> chosen;
  for (std::size_t i = 0; i < attempts_.size(); ++i)
    if (sandbox_ && attempts_[i].backend == current_) chosen = i;
  return story_of(attempts_, chosen);
}

}  // namespace pinfold::supervisor
