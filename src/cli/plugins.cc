// plugins.cc: what the commands about plugins share.
// Invariant: an approvals file that cannot be read approves nothing, whatever is asked.
// Not here: what each command does with them (plugin_*.cc).
#include "cli/plugins.h"

#include <fmt/format.h>

#include "base/paths.h"
#include "base/text.h"
#include "base/try.h"
#include "cli/options.h"
#include "sys/host.h"

namespace pinfold::cli {

using text::shown;

Result<std::string> plugins_of(const Parsed& parsed, const Caller& caller, HostView& host) {
  const Given* given = find_given(parsed, Id::kPlugins);
  if (given == nullptr) return plugin::plugins_directory(caller, host);
  PF_TRY(directory, absolute(given->value, "--plugins", caller), "");
  auto info = host.resolve(directory);
  if (!info || info->kind != HostKind::kDirectory)
    return fail(ErrorKind::kInvalid, fmt::format("--plugins: {} is not a directory", shown(directory)));
  return directory;
}

Result<PluginDesk> open_plugins(const Parsed& parsed, HostView& host) {
  PF_TRY(caller, sys::find_caller(host), "");
  PF_TRY(directory, plugins_of(parsed, caller, host), "");
  plugin::Plugins plugins = plugin::find_plugins(directory, host);
  auto approvals = plugin::ApprovalStore(caller, host).read();
  return PluginDesk{std::move(caller), std::move(directory), std::move(plugins), std::move(approvals)};
}

SeenPlugin look_at(const plugin::Installed& one, Files files, PluginDesk& desk, HostView& host) {
  SeenPlugin out;
  out.plugin = &one;
  out.standing.state = plugin::State::kBroken;
  out.problem = one.problem;
  if (out.problem) return out;
  const std::string home = plugin::private_home_of(one.manifest->id, desk.caller, host);
  auto now = files == Files::kKnown && !home.empty()
                 ? plugin::quick_fingerprint_of(one, std::string(paths::parent(home)))
                 : plugin::fingerprint_of(one);
  if (!now) {
    out.problem = std::move(now).error();
    return out;
  }
  out.now = std::move(*now);
  const plugin::Approvals nothing;
  out.standing = plugin::standing_of(*one.manifest, *out.now, desk.approvals ? *desk.approvals : nothing);
  // Should this fail, the next look sees the same again.
  if (out.standing.update)
    static_cast<void>(plugin::ApprovalStore(desk.caller, host).update([&](plugin::Approvals& all) {
      plugin::bring_up_to_date(all, *one.manifest, *out.now);
    }));
  return out;
}

Result<const plugin::Installed*> find_plugin(const PluginDesk& desk, const std::string& id) {
  if (const plugin::Installed* found = desk.plugins.find(id)) return found;
  std::vector<std::string_view> names;
  for (const plugin::Installed& one : desk.plugins.all) names.push_back(one.manifest ? one.manifest->id : one.name);
  return fail(ErrorKind::kInvalid,
              fmt::format("there is no plugin {} in {}{}", shown(id), shown(desk.directory), did_you_mean(id, names)),
              "see: pinfold plugin list");
}

Result<std::string> one_id(const Parsed& parsed) {
  if (parsed.words.size() == 1) return parsed.words[0];
  return fail(ErrorKind::kInvalid, fmt::format("`pinfold {}` needs the id of one plugin", info(parsed.command).name),
              "see: pinfold plugin list");
}

plugin::Review review_of(const SeenPlugin& seen, const PluginDesk& desk, HostView& host) {
  auto confined = plugin::confine(*seen.plugin, desk.caller, host);
  const Result<std::vector<std::string>> command = confined
                                                       ? Result<std::vector<std::string>>(std::move(confined->argv))
                                                       : tl::unexpected<Error>(std::move(confined).error());
  return plugin::review_of(*seen.plugin, *seen.now, seen.standing, command, desk.caller.home);
}

Result<void> check_allowed(const SeenPlugin& seen, const PluginDesk& desk) {
  if (seen.problem) return tl::unexpected<Error>(*seen.problem);
  if (!desk.approvals) return tl::unexpected<Error>(desk.approvals.error());
  const std::string& id = seen.plugin->manifest->id;
  const std::string fix = "see what it asks for, and decide: pinfold plugin review " + id;
  const auto refuse = [&](const std::string& why) { return fail(ErrorKind::kRefused, id + " " + why, fix); };
  switch (seen.standing.state) {
    case plugin::State::kApproved: return {};
    case plugin::State::kDenied: return refuse("was denied");
    case plugin::State::kChanged:
      return refuse(seen.standing.difference && seen.standing.difference->grew ? "asks for more than you allowed it"
                                                                               : "has other code than you allowed");
    default: return refuse("is new, and you have not allowed it");
  }
}

}  // namespace pinfold::cli
