// plugins.cc: code that the commands about plugins share.
// Invariant: an approvals file that cannot be read approves nothing.
// Not here: the commands (plugin_*.cc).
#include "cli/plugins.h"

#include <fmt/format.h>

#include "base/paths.h"
#include "base/text.h"
#include "base/try.h"
#include "cli/options.h"
#include "sys/host.h"

namespace pinfold::cli {

using text::shown;

Result<std::string> plugins_directory_of(const CommandLine& parsed, const Caller& caller, HostView& host) {
  const FlagValue* flag_value = find_flag_value(parsed, Id::kPlugins);
  if (flag_value == nullptr) return plugin::plugins_directory(caller, host);
  PF_TRY(directory, absolute(flag_value->value, "--plugins", caller));
  auto info = host.resolve(directory);
  if (!info || info->kind != HostKind::kDirectory)
    return fail(ErrorKind::kInvalid, fmt::format("--plugins: {} is not a directory", shown(directory)));
  return directory;
}

Result<PluginCatalog> open_plugins(const CommandLine& parsed, HostView& host) {
  PF_TRY(caller, sys::find_caller(host));
  PF_TRY(directory, plugins_directory_of(parsed, caller, host));
  plugin::Plugins plugins = plugin::find_plugins(directory, host);
  auto approvals = plugin::ApprovalStore(caller, host).read();
  return PluginCatalog{std::move(caller), std::move(directory), std::move(plugins), std::move(approvals)};
}

PluginInfo inspect_plugin(const plugin::InstalledPlugin& one, Hashing hashing, PluginCatalog& catalog, HostView& host) {
  PluginInfo out;
  out.plugin = &one;
  out.status.state = plugin::State::kBroken;
  out.problem = one.problem;
  if (out.problem) return out;
  const std::string home = plugin::private_home_of(one.manifest->id, catalog.caller, host);
  auto now = hashing == Hashing::kChangedFiles && !home.empty()
                 ? plugin::quick_fingerprint_of(one, std::string(paths::parent(home)))
                 : plugin::fingerprint_of(one);
  if (!now) {
    out.problem = std::move(now).error();
    return out;
  }
  out.now = std::move(*now);
  const plugin::Approvals nothing;
  out.status = plugin::approval_status_of(*one.manifest, *out.now, catalog.approvals ? *catalog.approvals : nothing);
  // If this fails, the next inspection tries it again.
  if (out.status.update)
    static_cast<void>(plugin::ApprovalStore(catalog.caller, host).update([&](plugin::Approvals& all) {
      plugin::bring_up_to_date(all, *one.manifest, *out.now);
    }));
  return out;
}

Result<const plugin::InstalledPlugin*> find_plugin(const PluginCatalog& catalog, const std::string& id) {
  if (const plugin::InstalledPlugin* found = catalog.plugins.find(id)) return found;
  std::vector<std::string_view> names;
  for (const plugin::InstalledPlugin& one : catalog.plugins.all)
    names.push_back(one.manifest ? one.manifest->id : one.name);
  std::string unread;
  if (!catalog.plugins.problems.empty()) unread = "; " + catalog.plugins.problems.front().text();
  for (const plugin::InstalledPlugin& one : catalog.plugins.all)
    if (unread.empty() && !one.manifest && one.problem)
      unread = fmt::format("; {} cannot be used: {}", shown(one.name), one.problem->text());
  return fail(ErrorKind::kInvalid,
              fmt::format("there is no plugin {} in {}{}{}", shown(id), shown(catalog.directory),
                          did_you_mean(id, names), unread),
              "see: pinfold plugin list");
}

Result<std::string> required_id(const CommandLine& parsed) {
  if (parsed.words.size() == 1) return parsed.words[0];
  return fail(ErrorKind::kInvalid, fmt::format("`pinfold {}` needs the id of one plugin", info(parsed.command).name),
              "see: pinfold plugin list");
}

plugin::Review review_of(const PluginInfo& info, const PluginCatalog& catalog, HostView& host) {
  auto confined = plugin::confine(*info.plugin, catalog.caller, host);
  const Result<std::vector<std::string>> command = confined
                                                       ? Result<std::vector<std::string>>(std::move(confined->argv))
                                                       : tl::unexpected<Error>(std::move(confined).error());
  return plugin::review_of(*info.plugin, *info.now, info.status, command, catalog.caller.home);
}

Result<void> check_allowed(const PluginInfo& info, const PluginCatalog& catalog) {
  if (info.problem) return tl::unexpected<Error>(*info.problem);
  if (!catalog.approvals) return tl::unexpected<Error>(catalog.approvals.error());
  const std::string& id = info.plugin->manifest->id;
  const std::string fix = "to see its permissions and decide: pinfold plugin review " + id;
  const auto refuse = [&](const std::string& why) { return fail(ErrorKind::kRefused, id + " " + why, fix); };
  switch (info.status.state) {
    case plugin::State::kApproved: return {};
    case plugin::State::kDenied: return refuse("was denied");
    case plugin::State::kChanged:
      return refuse(info.status.difference && info.status.difference->grew ? "asks for more than you allowed"
                                                                           : "has changed code since you allowed it");
    default: return refuse("is new, and you have not allowed it");
  }
}

}  // namespace pinfold::cli
