// confine.cc: permissions → policy.
// Invariant: starts from nothing shown; each rule is the manifest's, or what its runtime cannot do without.
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

constexpr const char* kBase = "moderate";  // for what stays hidden and what stays as it is
constexpr const char* kMostProcesses = "512";
constexpr std::size_t kLongestSecret = 64 * 1024;
constexpr const char* kSystemPath = "/usr/local/bin:/usr/bin:/bin";

// Who the other side of a connection is can only be told with these.
constexpr auto kCertificates =
    std::to_array<const char*>({"/etc/ssl/certs", "/etc/ssl/cert.pem", "/etc/ssl/openssl.cnf", "/etc/ca-certificates",
                                "/etc/pki/tls/certs", "/etc/pki/ca-trust/extracted", "/usr/share/ca-certificates",
                                "/usr/local/share/ca-certificates", "/etc/services", "/etc/protocols"});

class Confiner {
 public:
  Confiner(const Installed& plugin, const Caller& caller, HostView& host, const ClipboardPlace* clipboard)
      : plugin_(plugin),
        manifest_(*plugin.manifest),
        caller_(caller),
        host_(host),
        clipboard_(manifest_.permissions.clipboard ? clipboard : nullptr),
        runtime_{Source::kUserFile, "runtime " + std::string(runtime_word(manifest_.runtime))},
        builder_(kBase, {caller.home, plugin.folder, caller.platform}, runtime_) {}

  Result<Confined> run() {
    PF_TRY(launch, find_runtime(manifest_, plugin_.folder, caller_.home, host_), "");
    Confined out;
    out.private_home = private_home_of(manifest_.id, caller_, host_);
    if (out.private_home.empty())
      return fail(ErrorKind::kInvalid, "the home directory is not known, so the plugin has no place of its own",
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
    PF_TRY(policy, std::move(builder_).build(), "");
    // Of the preset only what it hides and protects is wanted, and nothing that it shows or passes.
    std::erase_if(policy.paths, [](const PathRule& rule) {
      return rule.origin.source == Source::kPreset && rule.access != Access::kHide;
    });
    std::erase_if(policy.environment, [](const EnvRule& rule) { return rule.origin.source == Source::kPreset; });
    // Its folder, its home and its clipboard may lie in Pinfold's own directories; a manifest's rules show nothing
    // there.
    for (PathRule& rule : policy.paths)
      rule.own =
          rule.access != Access::kHide && rule.origin.source == runtime_.source && rule.origin.where == runtime_.where;
    // They are for the user's projects; what is in a plugin's folder is its own.
    policy.patterns.clear();
    policy.custom = "plugin " + manifest_.id;
    out.policy = std::move(policy);
    out.argv = std::move(launch.argv);
    out.working_dir = plugin_.folder;
    out.interpreter = std::move(launch.interpreter);
    return out;
  }

 private:
  Origin at(const policy::Place& place) const {
    return {Source::kProjectFile,
            plugin_.manifest_file() + ":" + std::to_string(place.line) + ":" + std::to_string(place.column)};
  }

  void network() {
    const auto& rules = manifest_.permissions.network;
    if (rules.empty()) {
      builder_.no_network(runtime_);
      return;
    }
    for (const Asked& rule : rules) builder_.network_domain(rule.text, at(rule.place));
    for (const char* path : kCertificates) builder_.read(path, runtime_, Missing::kSkip);
  }

  // Pinfold's own files say what is allowed: who writes them writes the policy.
  bool touches_own(const std::string& path, const std::string& own) const {
    if (own.empty()) return false;
    const std::string real = policy::canonical_path(path, host_).value_or(path);
    const std::string real_own = policy::canonical_path(own, host_).value_or(own);
    return paths::at_or_beneath(real, real_own) || paths::beneath(real_own, real);
  }

  bool touches_any_own(const std::string& path) const {
    const auto all = policy::own_directories(host_);
    // The caller's home need not be the environment's.
    return touches_own(path, settings::config_directory(caller_, host_)) ||
           touches_own(path, settings::state_directory(caller_, host_)) ||
           std::any_of(all.begin(), all.end(),
                       [&](const policy::OwnDirectory& own) { return touches_own(path, own.path); });
  }

  void files() {
    for (const AskedPath& asked : manifest_.permissions.filesystem) {
      const Origin origin = at(asked.place);
      const bool writes = asked.access == FileAccess::kReadWrite;
      if (asked.path.starts_with('~') && !caller_.home.starts_with('/')) {
        builder_.problem(origin, shown(asked.path) + ": the home directory is not known", "set HOME");
        continue;
      }
      const std::string path =
          paths::normal(asked.path.starts_with('~') ? caller_.home + asked.path.substr(1) : asked.path);
      if (auto fine = policy::check_grant({writes ? Grant::Kind::kWrite : Grant::Kind::kRead, path}, caller_); !fine) {
        builder_.problem(origin, fine.error().text(), fine.error().fix());
      } else if (writes && touches_own(path, plugin_.folder)) {
        builder_.problem(origin, shown(path) + " is or holds the plugin's own folder, which stays as it is", "");
      } else if (touches_any_own(path)) {
        builder_.problem(origin, shown(path) + " holds Pinfold's own files, which no plugin sees",
                         "name what lies beside");
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
    const Origin origin = at(shell->place);
    for (const char* directory : {"/usr/bin", "/bin"}) builder_.read(directory, runtime_, Missing::kSkip);
    builder_.exec_command("/bin/sh", origin);
    for (const Asked& command : shell->commands) {
      const std::string found = find_on_path(command.text, host_);
      if (found.empty()) {
        builder_.problem(at(command.place), "the command " + shown(command.text) + " was not found on PATH",
                         "install it");
        continue;
      }
      const std::string directory(paths::parent(found));
      if (directory != "/usr/bin" && directory != "/bin") builder_.read(found, at(command.place));
      if ((":" + path + ":").find(":" + directory + ":") == std::string::npos) path += ":" + directory;
      builder_.exec_command(found, origin);
    }
  }

  // A socket behind which the host acts; where programs can be started, the usual commands, too. Never the display.
  void clipboard(std::string& path) {
    if (clipboard_ == nullptr) return;
    builder_.read(clipboard_->directory, runtime_).read(clipboard_->socket, runtime_);
    builder_.env("PINFOLD_CLIPBOARD=" + clipboard_->socket, runtime_);
    if (!manifest_.permissions.shell) return;
    // One list of programs: by the line that asks for it.
    builder_.read(clipboard_->program, runtime_)
        .exec_command(clipboard_->program, at(manifest_.permissions.shell->place));
    path = clipboard_->directory + ":" + path;
  }

  void environment(const std::string& path, const std::string& home) {
    for (const char* name : {"LANG", "LANGUAGE", "LC_*", "TZ", "TERM", "NO_COLOR", "USER", "LOGNAME"})
      builder_.env(name, runtime_);
    builder_.env("PATH=" + path, runtime_).env("HOME=" + home, runtime_);
    if (manifest_.runtime == Runtime::kPython)
      builder_.env("PYTHONDONTWRITEBYTECODE=1", runtime_).env("PYTHONNOUSERSITE=1", runtime_);
    for (const Asked& name : manifest_.permissions.environment) builder_.env(name.text, at(name.place));
    for (const Asked& name : manifest_.permissions.secrets) secret(name);
  }

  // From the environment, else from a file that is the user's alone. Never an argument, never printed.
  void secret(const Asked& name) {
    const Origin origin = at(name.place);
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

  const Installed& plugin_;
  const Manifest& manifest_;
  const Caller& caller_;
  HostView& host_;
  const ClipboardPlace* clipboard_;
  Origin runtime_;
  PolicyBuilder builder_;
};

}  // namespace

std::string private_home_of(const std::string& id, const Caller& caller, HostView& host) {
  const std::string state = settings::state_directory(caller, host);
  return state.empty() ? state : state + "/plugins/" + id + "/home";
}

Result<Confined> confine(const Installed& plugin, const Caller& caller, HostView& host,
                         const ClipboardPlace* clipboard) {
  return Confiner(plugin, caller, host, clipboard).run();
}

}  // namespace pinfold::plugin
