// environment.cc: everything that the command gets to see of the environment.
// Invariant: an allow-list: a variable that no rule names does not pass; values come out sorted by name.
// Not here: which names presets allow (policy/presets.cc).
#include <array>
#include <map>

#include "base/paths.h"
#include "plan/draft.h"
#include "policy/presets.h"

namespace pinfold::plan {
namespace {

using std::string_view;

constexpr string_view kDefaultPath = "/usr/local/bin:/usr/bin:/bin";

const char* network_word(NetworkMode mode) {
  return mode == NetworkMode::kNone ? "off" : mode == NetworkMode::kFull ? "on" : "domains";
}

class Variables {
 public:
  explicit Variables(Draft& draft) : draft_(draft) {}

  void rule(const EnvRule& rule) {
    if (rule.value) return set(rule.name, *rule.value, rule.origin);
    if (!rule.name.ends_with('*')) return pass(rule.name, rule.origin);
    if (names_.empty()) names_ = draft_.host.variable_names();
    const string_view stem = string_view(rule.name).substr(0, rule.name.size() - 1);
    // A pattern in a file must not pass a variable that the file may not name.
    const bool from_file = rule.origin.source == Source::kUserFile || rule.origin.source == Source::kProjectFile ||
                           rule.origin.source == Source::kEnvironment;
    for (const std::string& name : names_)
      if (string_view(name).starts_with(stem) && !(from_file && policy::runs_code(name))) pass(name, rule.origin);
  }

  void set(const std::string& name, std::string value, const Origin& origin) {
    const auto it = chosen_.find(name);
    if (it != chosen_.end() && !overrides(origin, it->second.origin)) return;
    chosen_.insert_or_assign(name, Variable{name, std::move(value), origin});
  }
  void set_if_missing(const std::string& name, const std::string& value) {
    if (!value.empty() && chosen_.count(name) == 0) chosen_.emplace(name, Variable{name, value, draft_.preset});
  }
  // Nothing overrides these.
  void force(const std::string& name, std::string value) {
    chosen_.insert_or_assign(name, Variable{name, std::move(value), draft_.preset});
  }
  bool has_own_value(const std::string& name) const {
    for (const EnvRule& one : draft_.scope.policy().environment)
      if (one.value && one.name == name) return true;
    return false;
  }

  std::vector<Variable> sorted() && {
    std::vector<Variable> out;
    out.reserve(chosen_.size());
    for (auto& [name, variable] : chosen_) out.push_back(std::move(variable));
    return out;
  }

 private:
  void pass(const std::string& name, const Origin& origin) {
    const auto it = chosen_.find(name);
    if (it != chosen_.end() && (same_layer(origin, it->second.origin) || !overrides(origin, it->second.origin))) return;
    if (auto value = draft_.host.variable(name))
      chosen_.insert_or_assign(name, Variable{name, std::move(*value), origin});
  }

  Draft& draft_;
  std::vector<std::string> names_;
  std::map<std::string, Variable> chosen_;
};

}  // namespace

Step environment(Draft& draft) {
  const Policy& policy = draft.scope.policy();
  Variables variables(draft);
  for (const EnvRule& rule : policy.environment) variables.rule(rule);

  variables.set_if_missing("PATH", std::string(kDefaultPath));
  variables.set_if_missing("HOME", draft.identity.home);
  variables.set_if_missing("USER", draft.identity.user);
  variables.set_if_missing("LOGNAME", draft.identity.user);
  if (policy.tmp == TmpMode::kPrivate && !variables.has_own_value("TMPDIR")) {
    // A rule that shows the host's /tmp takes the private one's place.
    const bool taken = draft.scope.at("/tmp") != nullptr && draft.scope.at("/var/tmp") == nullptr;
    variables.force("TMPDIR", taken ? "/var/tmp" : "/tmp");
  }
  // Go would make ~/go, and the home directory is read-only.
  if (policy.home == HomeMode::kHidden && !draft.identity.home.empty() &&
      !draft.visible(paths::join(draft.identity.home, "go/pkg")))
    variables.set_if_missing("GOPATH", paths::join(draft.identity.home, ".cache/go"));
  variables.force("PINFOLD", "1");
  variables.force("PINFOLD_NETWORK", network_word(draft.network_mode()));
  draft.variables = std::move(variables).sorted();
  return Draft::step(Environment{draft.variables}, Need::kRequired, draft.preset);
}

}  // namespace pinfold::plan
