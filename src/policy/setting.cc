// setting.cc: applies each key to the builder.
// Invariant: one switch over all keys; a key that is not handled here does not compile.
// Not here: which keys there are (keys.h), the order of sources (merge.cc).
#include "policy/setting.h"

#include <algorithm>

#include "base/edit_distance.h"
#include "base/glob.h"
#include "base/paths.h"
#include "base/text.h"

namespace pinfold::policy {
namespace {

using std::string_view;
using text::shown;

bool is_relative(string_view path) { return !path.empty() && path[0] != '/' && path[0] != '~'; }

// The path on its base directory, or nothing after a problem was reported.
std::optional<std::string> placed(const Setting& setting, const Origin& origin, const Base& base,
                                  PolicyBuilder& builder) {
  if (!is_relative(setting.value)) return setting.value;
  if (!base.directory.empty()) return paths::join(base.directory, setting.value);
  const bool hide = setting.key == Key::kHide;
  builder.problem(origin, "the path " + shown(setting.value) + " is relative, and this file belongs to no directory",
                  hide ? "write /… or ~/…, or \"**/" + shown(setting.value) + "\" for that name anywhere"
                       : "write the whole path, or ~/…");
  return std::nullopt;
}

template <typename T>
struct Choice {
  string_view word;
  T value;
};

template <typename T, std::size_t N>
std::optional<T> choose(const Setting& setting, const Origin& origin, PolicyBuilder& builder,
                        const Choice<T> (&choices)[N]) {
  std::vector<string_view> words;
  for (const Choice<T>& one : choices) {
    if (one.word == setting.value) return one.value;
    words.push_back(one.word);
  }
  std::string all;
  for (const string_view word : words) all += (all.empty() ? "" : ", ") + std::string(word);
  const auto near = closest_word(setting.value, words);
  builder.problem(origin, "\"" + shown(setting.value) + "\" is not a value of " + std::string(info(setting.key).name),
                  near ? "did you mean " + std::string(*near) + "?" : "use one of: " + all);
  return std::nullopt;
}

bool is_word(string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

void apply_network(const Setting& setting, const Origin& origin, PolicyBuilder& builder) {
  const string_view value = setting.value;
  if (value == "none") {
    builder.no_network(origin);
  } else if (value == "full") {
    builder.allow(danger::HostNetwork("asked for by " + origin.where), origin);
  } else if (!is_word(value) || value == "localhost") {
    builder.network_domain(value, origin);
  } else {
    // A name without a dot could as well be a word that is mistyped.
    const auto near = closest_word(value, {"none", "full"});
    builder.problem(origin, "\"" + shown(value) + "\" is not a kind of network",
                    near ? "did you mean " + std::string(*near) + "?"
                         : "use none, full, or names such as example.org; one without a dot needs its port");
  }
}

void apply_path(const Setting& setting, const Origin& origin, const Base& base, PolicyBuilder& builder) {
  const Missing missing = setting.optional ? Missing::kSkip : Missing::kError;
  // A relative pattern counts below each workspace; it has no base directory.
  const bool pattern = setting.key == Key::kHide && !setting.literal && is_pattern(setting.value);
  if (pattern) {
    builder.hide(setting.value, origin);
    return;
  }
  const auto path = placed(setting, origin, base, builder);
  if (!path) return;
  if (setting.key == Key::kRead)
    builder.read(*path, origin, missing);
  else if (setting.key == Key::kWrite)
    builder.write(*path, origin, missing);
  else
    builder.hide_path(*path, origin, missing);
}

void apply_exec(const Setting& setting, const Origin& origin, const Base& base, PolicyBuilder& builder) {
  if (setting.value == "any") {
    builder.exec_any(origin);
  } else if (setting.value == "none") {
    builder.exec_none(origin);
  } else if (setting.value.find('/') == std::string::npos) {
    builder.exec_command(setting.value, origin);
  } else if (const auto path = placed(setting, origin, base, builder)) {
    builder.exec_command(*path, origin);
  }
}

// Lists in a variable: paths are separated as in PATH, anything else by commas, because names have ports.
std::vector<std::string> split(string_view text, char separator) {
  std::vector<std::string> out;
  while (true) {
    const std::size_t end = text.find(separator);
    if (end != 0 && !text.empty()) out.emplace_back(text.substr(0, end));
    if (end == string_view::npos) return out;
    text.remove_prefix(end + 1);
  }
}

bool is_path_list(Key key) { return info(key).form == Form::kPaths || key == Key::kProtect || key == Key::kWorkspace; }

}  // namespace

void apply(const Setting& setting, const Origin& origin, const Base& base, PolicyBuilder& builder) {
  switch (setting.key) {
    case Key::kRead:
    case Key::kWrite:
    case Key::kHide: return apply_path(setting, origin, base, builder);
    case Key::kProtect: builder.protect(setting.value, origin); return;
    case Key::kWorkspace:
      if (const auto path = placed(setting, origin, base, builder)) builder.workspace(*path, origin);
      return;
    case Key::kWorkspaceAccess:
      if (const auto access =
              choose<Access>(setting, origin, builder, {{"read", Access::kRead}, {"write", Access::kWrite}}))
        builder.workspace_access(*access, origin);
      return;
    case Key::kHome:
      if (const auto mode =
              choose<HomeMode>(setting, origin, builder, {{"hidden", HomeMode::kHidden}, {"host", HomeMode::kHost}}))
        builder.home(*mode, origin);
      return;
    case Key::kTmp:
      if (const auto mode =
              choose<TmpMode>(setting, origin, builder, {{"private", TmpMode::kPrivate}, {"host", TmpMode::kHost}}))
        builder.tmp(*mode, origin);
      return;
    case Key::kNetwork: return apply_network(setting, origin, builder);
    case Key::kResolve: builder.resolve(setting.value, origin); return;
    case Key::kExec: return apply_exec(setting, origin, base, builder);
    case Key::kEnv: builder.env(setting.value, origin); return;
    case Key::kTimeout: builder.timeout(setting.value, origin); return;
    case Key::kMemory: builder.memory(setting.value, origin); return;
    case Key::kProcesses: builder.processes(setting.value, origin); return;
    case Key::kCpuTime: builder.cpu_time(setting.value, origin); return;
    case Key::kFileSize: builder.file_size(setting.value, origin); return;
    case Key::kOutputLimit: builder.output_limit(setting.value, origin); return;
    case Key::kNewSession:
      if (const auto mode = choose<SessionMode>(setting, origin, builder,
                                                {{"true", SessionMode::kNew}, {"false", SessionMode::kShared}}))
        builder.session(*mode, origin);
      return;
    case Key::kSharePid:
      if (const auto mode =
              choose<PidMode>(setting, origin, builder, {{"true", PidMode::kShared}, {"false", PidMode::kPrivate}})) {
        if (*mode == PidMode::kShared)
          builder.allow(danger::SharePid("asked for by " + origin.where), origin);
        else
          builder.private_processes(origin);
      }
      return;
    case Key::kDebuggers:
      if (const auto mode = choose<Debuggers>(setting, origin, builder,
                                              {{"true", Debuggers::kAllowed}, {"false", Debuggers::kRefused}}))
        builder.debuggers(*mode, origin);
      return;
    case Key::kObserve:
      if (const auto mode = choose<ObserveMode>(
              setting, origin, builder,
              {{"off", ObserveMode::kOff}, {"fast", ObserveMode::kFast}, {"full", ObserveMode::kFull}}))
        builder.observe(*mode, origin);
      return;
    case Key::kIgnored:
      if (const auto mode = choose<Ignored>(
              setting, origin, builder, {{"deny", Ignored::kDeny}, {"ask", Ignored::kAsk}, {"allow", Ignored::kAllow}}))
        builder.ignored(*mode, origin);
      return;
    case Key::kAllowAbsolute:
      if (const auto mode = choose<AbsolutePaths>(setting, origin, builder,
                                                  {{"true", AbsolutePaths::kAccepted},
                                                   {"false", AbsolutePaths::kRefused},
                                                   {"yes", AbsolutePaths::kAccepted},
                                                   {"no", AbsolutePaths::kRefused}}))
        builder.absolute_paths(*mode, origin);
      return;
    case Key::kOnUnavailable: builder.on_unavailable(setting.value, origin); return;
    case Key::kJournal:
      choose<bool>(setting, origin, builder, {{"on", true}, {"off", false}, {"true", true}, {"false", false}});
      return;  // read by settings/load.cc
    case Key::kInherits:
    case Key::kProfile:
    case Key::kEnabled:
    case Key::kProfiles: return;  // read by merge.cc
  }
}

FromEnvironment read_environment(HostView& host) {
  FromEnvironment out;
  std::vector<string_view> known;
  for (const KeyInfo& one : kKeys)
    if (!one.variable.empty()) known.push_back(one.variable);
  std::vector<std::string> names = host.variable_names();
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    // Pinfold itself sets the last two for the command.
    if (!name.starts_with("PINFOLD_") || name == "PINFOLD_NETWORK") continue;
    const auto* const key =
        std::find_if(std::begin(kKeys), std::end(kKeys), [&](const KeyInfo& one) { return one.variable == name; });
    if (key == std::end(kKeys)) {
      const auto near = closest_word(name, known);
      out.problems.push_back(shown(name) + ": there is no such setting (" +
                             (near ? "did you mean " + std::string(*near) + "?" : "unset it") + ")");
      continue;
    }
    const std::string value = host.variable(name).value_or("");
    if (value.empty()) continue;
    const bool list = key->form == Form::kWords || key->form == Form::kPaths || key->form == Form::kNetwork ||
                      key->form == Form::kExec;
    if (!list) {
      out.settings.push_back({key->key, value, name});
      continue;
    }
    for (std::string& one : split(value, is_path_list(key->key) ? ':' : ','))
      out.settings.push_back({key->key, std::move(one), name});
  }
  return out;
}

}  // namespace pinfold::policy
