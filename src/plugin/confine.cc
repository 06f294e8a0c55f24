// confine.cc: permissions → policy.
// Invariant: starts without visible paths; each rule comes from the manifest or is necessary for its runtime.
// Not here: finding the runtime (runtime.cc), how rules are enforced (backend).
#include "plugin/confine.h"

#include <algorithm>
#include <array>

#include "base/paths.h"
#include "base/text.h"
#include "base/try.h"
#include "policy/grants.h"
#include "policy/own_directories.h"
#include "policy/resolver.h"
#include "settings/files.h"

namespace pinfold::plugin {
namespace {

using text::shown;

constexpr const char* kBase = "moderate";  // for its hidden and protected paths
constexpr const char* kMostProcesses = "512";
constexpr std::size_t kLongestSecret = 64 * 1024;
constexpr const char* kSystemPath = "/usr/local/bin:/usr/bin:/bin";

// TLS clients need these to verify the server.
constexpr auto kCertificates =
    std::to_array<const char*>({"/etc/ssl/certs", "/etc/ssl/cert.pem", "/etc/ssl/openssl.cnf", "/etc/ca-certificates",
                                "/etc/pki/tls/certs", "/etc/pki/ca-trust/extracted", "/usr/share/ca-certificates",
                                "/usr/local/share/ca-certificates", "/etc/services", "/etc/protocols"});

class Confiner {
 public:
  Confiner(const InstalledPlugin& plugin, const Caller& caller, HostView& host, const ClipboardPaths* clipboard)
      : plugin_(plugin),
        manifest_(*plugin.manifest),
        caller_(caller),
        host_(host),
        clipboard_(manifest_.permissions.clipboard ? clipboard : nullptr),
        runtime_{Source::kUserFile, "runtime " + std::string(runtime_word(manifest_.runtime))},
        builder_(kBase, {caller.home, plugin.folder, caller.platform}, runtime_) {}

  Result<ConfinedPlugin> run() {
    PF_TRY(launch, find_runtime(manifest_, plugin_.folder, caller_.home, host_));
    ConfinedPlugin out;
    out.private_home = private_home_of(manifest_.id, caller_, host_);
    if (out.private_home.empty())
      return fail(ErrorKind::kInvalid, "the home directory is not known, so the plugin has no private home",
                  "set HOME");
    builder_.workspace(plugin_.folder, runtime_).workspace_access(Access::kRead, runtime_);
    builder_.home(HomeMode::kHost, runtime_).on_unavailable("deny", runtime_).processes(kMostProcesses, runtime_);
    for (const std::string& path : launch.reads) builder_.read(path, runtime_);
    for (const std::string& path : launch.reads_if_there) builder_.read(path, runtime_, Missing::kSkip);
    builder_.write(out.private_home, runtime_);
    network();
    files();
    std::string path = kSystemPath;
    programs(path);
    clipboard(path);
    environment(path, out.private_home);
    PF_TRY(policy, std::move(builder_).build());
    // Keep only the hidden and protected paths of the preset; drop the paths and variables that it grants.
    std::erase_if(policy.paths, [](const PathRule& rule) {
      return rule.origin.source == Source::kPreset && rule.access != Access::kHide;
    });
    std::erase_if(policy.environment, [](const EnvRule& rule) { return rule.origin.source == Source::kPreset; });
    // The plugin's folder, home and clipboard may be in Pinfold's own directories; a manifest's rules grant nothing
    // there.
    for (PathRule& rule : policy.paths)
      rule.own =
          rule.access != Access::kHide && rule.origin.source == runtime_.source && rule.origin.where == runtime_.where;
    // Patterns are for the user's projects, not for the plugin's own folder.
    policy.patterns.clear();
    policy.custom = "plugin " + manifest_.id;
    out.policy = std::move(policy);
    out.argv = std::move(launch.argv);
    out.working_dir = plugin_.folder;
    out.interpreter = std::move(launch.interpreter);
    return out;
  }

 private:
  Origin at(const policy::SourceLocation& location) const {
    return {Source::kProjectFile,
            plugin_.manifest_file() + ":" + std::to_string(location.line) + ":" + std::to_string(location.column)};
  }

  void network() {
    const auto& rules = manifest_.permissions.network;
    if (rules.empty()) {
      builder_.no_network(runtime_);
      return;
    }
    for (const RequestedText& rule : rules) builder_.network_domain(rule.text, at(rule.location));
    for (const char* path : kCertificates) builder_.read(path, runtime_, Missing::kSkip);
  }

  // Pinfold's own files hold the policy: a plugin that writes them could change it.
  bool touches_own(const std::string& path, const std::string& own) const {
    if (own.empty()) return false;
    const std::string real = policy::canonical_path(path, host_).value_or(path);
    const std::string real_own = policy::canonical_path(own, host_).value_or(own);
    return paths::at_or_beneath(real, real_own) || paths::beneath(real_own, real);
  }

  bool touches_any_own(const std::string& path) const {
    const auto all = policy::own_directories(host_);
    // caller_.home may differ from $HOME.
    return touches_own(path, settings::config_directory(caller_, host_)) ||
           touches_own(path, settings::state_directory(caller_, host_)) ||
           std::any_of(all.begin(), all.end(),
                       [&](const policy::OwnDirectory& own) { return touches_own(path, own.path); });
  }

  void files() {
    for (const RequestedPath& requested : manifest_.permissions.filesystem) {
      const Origin origin = at(requested.location);
      const bool writes = requested.access == FileAccess::kReadWrite;
      if (requested.path.starts_with('~') && !caller_.home.starts_with('/')) {
        builder_.problem(origin, shown(requested.path) + ": the home directory is not known", "set HOME");
        continue;
      }
      const std::string path =
          paths::normal(requested.path.starts_with('~') ? caller_.home + requested.path.substr(1) : requested.path);
      if (auto fine = policy::check_grant({writes ? Grant::Kind::kWrite : Grant::Kind::kRead, path}, caller_); !fine) {
        builder_.problem(origin, fine.error().text(), fine.error().fix());
      } else if (writes && touches_own(path, plugin_.folder)) {
        builder_.problem(origin, shown(path) + " contains the plugin's own folder, which is read-only", "");
      } else if (touches_any_own(path)) {
        builder_.problem(origin, shown(path) + " contains Pinfold's own files, which no plugin may access",
                         "name a path that does not contain them");
      } else {
        writes ? builder_.write(path, origin) : builder_.read(path, origin);
      }
    }
  }

  void programs(std::string& path) {
    const auto& shell = manifest_.permissions.shell;
    if (!shell) {
      builder_.exec_none(runtime_);
      return;
    }
    const Origin origin = at(shell->location);
    for (const char* directory : {"/usr/bin", "/bin"}) builder_.read(directory, runtime_, Missing::kSkip);
    builder_.exec_command("/bin/sh", origin);
    for (const RequestedText& command : shell->commands) {
      const std::string found = find_on_path(command.text, host_);
      if (found.empty()) {
        builder_.problem(at(command.location), "the command " + shown(command.text) + " was not found on PATH",
                         "install it");
        continue;
      }
      const std::string directory(paths::parent(found));
      if (directory != "/usr/bin" && directory != "/bin") builder_.read(found, at(command.location));
      if ((":" + path + ":").find(":" + directory + ":") == std::string::npos) path += ":" + directory;
      builder_.exec_command(found, origin);
    }
  }

  // Grants the socket and, if the plugin may run programs, the clipboard commands. Never the display.
  void clipboard(std::string& path) {
    if (clipboard_ == nullptr) return;
    builder_.read(clipboard_->directory, runtime_).read(clipboard_->socket, runtime_);
    builder_.env("PINFOLD_CLIPBOARD=" + clipboard_->socket, runtime_);
    if (!manifest_.permissions.shell) return;
    // The origin is the line that requests programs: exec rules have one list.
    builder_.read(clipboard_->program, runtime_)
        .exec_command(clipboard_->program, at(manifest_.permissions.shell->location));
    path = clipboard_->directory + ":" + path;
  }

  void environment(const std::string& path, const std::string& home) {
    for (const char* name : {"LANG", "LANGUAGE", "LC_*", "TZ", "TERM", "NO_COLOR", "USER", "LOGNAME"})
      builder_.env(name, runtime_);
    builder_.env("PATH=" + path, runtime_).env("HOME=" + home, runtime_);
    if (manifest_.runtime == Runtime::kPython)
      builder_.env("PYTHONDONTWRITEBYTECODE=1", runtime_).env("PYTHONNOUSERSITE=1", runtime_);
    for (const RequestedText& name : manifest_.permissions.environment) builder_.env(name.text, at(name.location));
    for (const RequestedText& name : manifest_.permissions.secrets) secret(name);
  }

  // From the environment, else from a file with mode 0600. Never an argument, never printed.
  void secret(const RequestedText& name) {
    const Origin origin = at(name.location);
    if (auto value = host_.variable(name.text); value && !value->empty()) {
      builder_.env(name.text, origin);
      return;
    }
    const std::string settings = settings::config_directory(caller_, host_);
    const std::string directory = paths::join(settings, "secrets");
    const std::string file = paths::join(directory, name.text);
    auto stored = settings.empty() ? Result<HostFile>(fail(ErrorKind::kNotFound, ""))
                                   : host_.read_owned(directory, name.text, Links::kStayInside, kLongestSecret);
    if (!stored && stored.error().kind() == ErrorKind::kNotFound) {
      builder_.problem(origin, "the secret " + name.text + " is neither in the environment nor in " + shown(file),
                       "set the variable, or put the value into that file (chmod 600)");
    } else if (!stored) {
      builder_.problem(origin, stored.error().text(), "");
    } else if (stored->uid != host_.identity().uid || (stored->mode & 0077U) != 0) {
      builder_.problem(origin, shown(file) + " is not yours alone", "chmod 600 " + text::shell_word(file));
    } else {
      while (stored->text.ends_with('\n') || stored->text.ends_with('\r')) stored->text.pop_back();
      builder_.env(name.text + "=" + stored->text, origin);
    }
  }

  const InstalledPlugin& plugin_;
  const Manifest& manifest_;
  const Caller& caller_;
  HostView& host_;
  const ClipboardPaths* clipboard_;
  Origin runtime_;
  PolicyBuilder builder_;
};

}  // namespace

std::string private_home_of(const std::string& id, const Caller& caller, HostView& host) {
  const std::string state = settings::state_directory(caller, host);
  return state.empty() ? state : state + "/plugins/" + id + "/home";
}

Result<ConfinedPlugin> confine(const InstalledPlugin& plugin, const Caller& caller, HostView& host,
                               const ClipboardPaths* clipboard) {
  return Confiner(plugin, caller, host, clipboard).run();
}

}  // namespace pinfold::plugin
