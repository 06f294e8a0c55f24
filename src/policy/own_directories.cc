// own_directories.cc: by HOME, by the user database, and by the XDG variables.
#include "policy/own_directories.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/paths.h"
#include "base/windows_paths.h"

namespace pinfold::policy {
namespace {

struct BaseDirectory {
  const char* variable;
  const char* below_home;
  const char* what;
};
constexpr auto kBaseDirectories =
    std::to_array<BaseDirectory>({{"XDG_CONFIG_HOME", "/.config", "Pinfold's own settings"},
                                  {"XDG_STATE_HOME", "/.local/state", "Pinfold's own journal"},
                                  {"XDG_CACHE_HOME", "/.cache", "Pinfold's own caches"}});

bool is_home(std::string_view path) { return path.size() > 1 && path[0] == '/'; }

}  // namespace

std::vector<OwnDirectory> own_directories(HostView& host) {
  std::vector<OwnDirectory> out;
  const auto add = [&](const std::string& base, const char* what, bool current) {
    std::string path = paths::normal(base + "/pinfold");
    const auto known = std::find_if(out.begin(), out.end(), [&](const OwnDirectory& one) { return one.path == path; });
    if (known == out.end())
      out.push_back({std::move(path), what, current});
    else
      known->current = known->current || current;
  };
  const HostIdentity me = host.identity();
  const std::string variable = host.variable("HOME").value_or("");
  const std::string& home = is_home(variable) ? variable : me.home;
  for (const BaseDirectory& directory : kBaseDirectories) {
    const std::string base = host.variable(directory.variable).value_or("");
    const bool given = base.starts_with('/');
    if (given) add(base, directory.what, true);
    if (is_home(home)) add(home + directory.below_home, directory.what, !given);
    if (is_home(me.home)) add(me.home + directory.below_home, directory.what, false);
  }
  constexpr const char* kSockets = "Pinfold's own sockets";
  const std::string uid = std::to_string(me.uid);
  const std::string runtime = host.variable("XDG_RUNTIME_DIR").value_or("");
  const bool usable = runtime.starts_with('/') && host.kind(runtime) == HostKind::kDirectory;
  if (runtime.starts_with('/')) add(runtime, kSockets, usable);
  add("/run/user/" + uid, kSockets, false);
  out.push_back({"/tmp/pinfold-" + uid, kSockets, !usable});
  const auto local = windows_paths::to_core(host.variable("LOCALAPPDATA").value_or(""));
  if (local && local->starts_with('/'))
    out.push_back({paths::normal(*local + "/pinfold/sandboxes"), "Pinfold's own grants", true});
  return out;
}

}  // namespace pinfold::policy
