// plugin_review.cc: checks a decision about a plugin.
#include "web/plugin_review.h"

#include <nlohmann/json.hpp>

namespace pinfold::web {

Result<PluginReview> PluginReview::open(std::string text, std::function<void(const std::string& word)> report) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  const auto field = [&](const char* name) {
    const auto found = json.is_object() ? json.find(name) : json.end();
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  PluginReview out;
  out.permissions_hash_ = field("permissions_hash");
  out.files_hash_ = field("files_hash");
  if (out.permissions_hash_.empty() || out.files_hash_.empty())
    return fail(ErrorKind::kInvalid, "this is not the review of a plugin");
  out.text_ = std::move(text);
  out.report_ = std::move(report);
  return out;
}

Result<void> PluginReview::decide(const PluginDecision& decision) {
  const bool allows = decision.decision == "allow";
  if (!allows && decision.decision != "deny") return fail(ErrorKind::kInvalid, "neither allow nor deny");
  if (allows && !decision.understood) return fail(ErrorKind::kRefused, "check the box first");
  if (decision.permissions_hash != permissions_hash_ || decision.files_hash != files_hash_)
    return fail(ErrorKind::kRefused, "the decision is about another version of the plugin");
  const std::lock_guard lock(mutex_);
  if (decided_) return fail(ErrorKind::kRefused, "the plugin was decided already");
  decided_ = true;
  report_(decision.decision);
  return {};
}

}  // namespace pinfold::web
