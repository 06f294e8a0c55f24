// access_check.cc: may this path be read or written?
// Invariant: every refusal names the rule and, where one exists, the flag and the line of a policy file that would
// help. Not here: where a name leads (walk.cc).
#include "files/access_check.h"

#include <sys/stat.h>

#include <algorithm>

#include "base/paths.h"
#include "base/text.h"
#include "base/try.h"
#include "base/utf8.h"
#include "policy/presets.h"
#include "policy/print.h"

namespace pinfold::files {
namespace {

using std::string_view;
using text::shown;

// "a" leads to "/x/y": both, unless they are the same.
std::string subject(string_view spelled, const std::string& canonical) {
  if (spelled == canonical || canonical.ends_with("/" + std::string(spelled))) return shown(spelled);
  return shown(spelled) + " (" + shown(canonical) + ")";
}

string_view verb(Access wanted) { return wanted == Access::kWrite ? "write" : "read"; }

std::string toml_line(string_view key, const std::string& path) {
  return is_utf8(path) ? std::string(key) + " = [" + policy::toml_string(path) + "]" : std::string();
}

std::string grant_for(const std::string& path, Access wanted) {
  const std::string toml = toml_line(verb(wanted), path);
  return "--" + std::string(verb(wanted)) + " " + text::shell_word(path) +
         (toml.empty() ? "" : ", or in your policy file: " + toml);
}

// The path that a rule can name: for a new file, the directory around it.
std::string what_exists(std::string path) {
  struct stat info {};
  while (path.size() > 1 && ::lstat(path.c_str(), &info) != 0) path = std::string(paths::parent(path));
  return path;
}

std::string in_small_letters(string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

// File tools exclude paths that a preset shows only so that programs run (/usr, /etc).
Policy without_system(Policy policy) {
  if (policy.profile == policy::kFullAccessPreset) return policy;
  std::erase_if(policy.paths, [](const PathRule& rule) {
    return rule.origin.source == Source::kPreset && !rule.workspace && rule.access != Access::kHide;
  });
  return policy;
}

}  // namespace

Result<AccessCheck> AccessCheck::build(const Policy& given, HostView& host) {
  const Policy policy = without_system(given);
  PF_TRY(strict, policy::Scope::build(policy, host));
  AccessCheck out(std::move(strict));
  if (policy.ignored != Ignored::kDeny) {
    Policy open = policy;
    std::erase_if(open.patterns, [](const HidePattern& one) { return one.origin.source == Source::kPreset; });
    PF_TRY(scope, policy::Scope::build(open, host));
    out.open_ = std::move(scope);
  }
  for (const policy::ScopeRule& rule : out.scope().rules())
    if (rule.access != Access::kHide) out.below_.push_back(rule.path);
  std::sort(out.below_.begin(), out.below_.end());
  return out;
}

Error AccessCheck::refusal(const std::string& canonical, Access wanted, string_view spelled) const {
  const policy::Decision found = scope().decide(canonical);
  std::string what = subject(spelled, canonical) + ": ";
  if (found.access == Access::kHide)
    what += "not visible: " + found.reason;
  else
    what += "read-only: " + found.reason;
  if (found.access == Access::kRead && found.protection == nullptr && found.rule != nullptr && found.rule->workspace)
    what += "; workspace_access = read (" + shown(policy().workspace_access_origin.where) + ")";
  // The message for a hidden path does not reveal whether it exists.
  const bool shown_here = found.access != Access::kHide;
  std::string fix = found.allow_with.empty() ? std::string()
                    : shown_here             ? grant_for(what_exists(canonical), wanted)
                                             : grant_for(canonical, wanted);
  if (found.pattern != nullptr && found.pattern->origin.source == Source::kPreset)
    fix += (fix.empty() ? "" : "; or for all private files: ") + std::string("--ignored allow");
  return Error(ErrorKind::kRefused, std::move(what), std::move(fix));
}

// Some file systems take "X" and "x" for the same name, and then a protected name could be written under another.
std::optional<Error> AccessCheck::other_case(const std::string& canonical, Access wanted, string_view spelled) const {
  const policy::ScopeLookup here = scope().look_up(canonical);
  const std::size_t root = here.rule < 0 ? 0 : scope().rules()[static_cast<std::size_t>(here.rule)].path.size();
  const std::string small = canonical.substr(0, root) + in_small_letters(string_view(canonical).substr(root));
  if (small == canonical) return std::nullopt;
  const policy::ScopeLookup there = scope().look_up(small);
  if (there.access >= wanted || there.rule != here.rule) return std::nullopt;
  if (there.pattern < 0 && there.protection < 0) return std::nullopt;
  return Error(ErrorKind::kRefused,
               subject(spelled, canonical) + ": " + scope().decide(small).reason + ", compared without regard to case",
               grant_for(canonical, wanted));
}

Result<void> AccessCheck::check(const std::string& canonical, Access wanted, string_view spelled) const {
  if (scope().look_up(canonical).access < wanted) return tl::unexpected<Error>(refusal(canonical, wanted, spelled));
  if (auto other = other_case(canonical, wanted, spelled)) return tl::unexpected<Error>(std::move(*other));
  return {};
}

const HidePattern* AccessCheck::private_by(string_view canonical) const {
  const policy::ScopeLookup lookup = strict_.look_up(canonical);
  if (lookup.access != Access::kHide || lookup.pattern < 0) return nullptr;
  const HidePattern& pattern = policy().patterns[static_cast<std::size_t>(lookup.pattern)];
  return pattern.origin.source == Source::kPreset ? &pattern : nullptr;
}

bool AccessCheck::named(string_view canonical, std::size_t claim) const {
  const std::int32_t rule = scope().look_up(canonical).rule;
  if (rule < 0) return false;
  const policy::ScopeRule& one = scope().rules()[static_cast<std::size_t>(rule)];
  return !one.workspace && one.path.size() >= claim;
}

bool AccessCheck::rule_below(string_view canonical) const {
  const std::string prefix = canonical == "/" ? "/" : std::string(canonical) + "/";
  auto next = std::lower_bound(below_.begin(), below_.end(), prefix);
  if (next != below_.end() && *next == "/") ++next;
  return next != below_.end() && next->starts_with(prefix);
}

Result<void> AccessCheck::check_override(const std::string& canonical, Access wanted, const std::string& reason,
                                         string_view spelled) {
  if (ignored() == Ignored::kAllow) return {};
  const std::string grant = "--ignored allow, or for this path alone " + grant_for(canonical, wanted);
  std::string what = subject(spelled, canonical) + ": " + reason;
  if (ignored() == Ignored::kDeny)
    return fail(ErrorKind::kRefused, what + "; ignored = deny (" + shown(policy().ignored_origin.where) + ")", grant);
  if (approved_.contains({canonical, wanted})) return {};
  if (!asker_) return fail(ErrorKind::kRefused, what + "; ignored = ask, but nothing here can ask you", grant);
  if (!asker_({canonical, wanted, reason})) return fail(ErrorKind::kRefused, what + "; the user denied it", grant);
  approved_.insert({canonical, wanted});
  return {};
}

}  // namespace pinfold::files
