// plugin_review.h: one pending review of a plugin.
// Invariant: decided at most once, only for the hashes that were shown; "allow" requires `understood`.
// Not here: the text of a review (src/plugin), recording the decision (src/cli).
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

class PluginReview {
 public:
  // `text`: the output of plugin::review_json(). `report` gets the decision.
  static Result<PluginReview> open(std::string text, std::function<void(const std::string& word)> report);
  PluginReview(PluginReview&& other) noexcept
      : text_(std::move(other.text_)),
        permissions_hash_(std::move(other.permissions_hash_)),
        files_hash_(std::move(other.files_hash_)),
        report_(std::move(other.report_)),
        decided_(other.decided_) {}

  const std::string& text() const { return text_; }
  // An error: nothing was decided, for this reason.
  Result<void> decide(const PluginDecision& decision);

 private:
  PluginReview() = default;
  std::string text_;
  std::string permissions_hash_;
  std::string files_hash_;
  std::function<void(const std::string& word)> report_;
  std::mutex mutex_;
  bool decided_ = false;
};

}  // namespace pinfold::web
