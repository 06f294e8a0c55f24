// review_desk.h: one review of a plugin that waits for a decision.
// Invariant: decided at most once, and only about the hashes that were shown; allowing needs the word that it was
// understood. Not here: what is in a review (src/plugin), who records the decision (src/cli).
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "pinfold/result.h"

namespace pinfold::web {

struct PluginDecision {
  std::string decision;  // "allow" or "deny"
  bool understood = false;
  std::string permissions_hash;
  std::string files_hash;
};

class ReviewDesk {
 public:
  // The text of a review, as plugin::review_json() writes it, or an error.
  static Result<ReviewDesk> open(std::string text, std::function<void(const std::string& word)> tell);
  ReviewDesk(ReviewDesk&& other) noexcept
      : text_(std::move(other.text_)),
        permissions_hash_(std::move(other.permissions_hash_)),
        files_hash_(std::move(other.files_hash_)),
        tell_(std::move(other.tell_)),
        decided_(other.decided_) {}

  const std::string& text() const { return text_; }
  // An error: nothing was decided, and why.
  Result<void> decide(const PluginDecision& decision);

 private:
  ReviewDesk() = default;
  std::string text_;
  std::string permissions_hash_;
  std::string files_hash_;
  std::function<void(const std::string& word)> tell_;
  std::mutex mutex_;
  bool decided_ = false;
};

}  // namespace pinfold::web
