// secrets.cc: the paths that presets hide, more such paths, and the names of secret files.
#include "learn/secrets.h"

#include <algorithm>
#include <array>
#include <deque>

#include "base/paths.h"
#include "policy/presets.h"
#include "safety/redaction/secret_names.h"

namespace pinfold::learn {
namespace {

using std::string_view;

constexpr std::size_t kMostLookedAt = 20'000;
constexpr std::size_t kLongestKey = 64 * 1024;

// In addition to the paths that presets hide. Presets need not hide these, because they do not show their parents.
constexpr auto kMorePaths = std::to_array<string_view>({"/home",
                                                        "/root",
                                                        "/run",
                                                        "/var/run",
                                                        "/var/backups",
                                                        "/var/spool",
                                                        "/var/mail",
                                                        "/var/log",
                                                        "/var/lib/docker",
                                                        "/var/lib/containerd",
                                                        "/var/lib/sss",
                                                        "/var/lib/samba",
                                                        "/var/lib/systemd",
                                                        "/var/lib/private",
                                                        "/var/lib/NetworkManager",
                                                        "/var/lib/kubelet",
                                                        "/var/lib/bluetooth",
                                                        "/boot",
                                                        "/lost+found",
                                                        "/var/lib/mysql",
                                                        "/var/lib/postgresql",
                                                        "/var/lib/libvirt",
                                                        "/var/lib/lxd",
                                                        "/var/lib/incus",
                                                        "/var/lib/snapd"});
// Stores of secrets and sockets of daemons that act outside of any sandbox.
constexpr auto kMoreInHome = std::to_array<string_view>(
    {".1password", ".colima", ".lima", ".orbstack", ".rd", ".minikube", ".pki", ".gcloud", ".oci", ".pulumi", ".pgpass",
     ".my.cnf", ".s3cfg", ".boto", ".lesshst", ".viminfo", ".sqlite_history", ".Xauthority", ".ICEauthority"});
constexpr auto kMoreNames = std::to_array<string_view>(
    {"credentials", "credentials.json", "service-account*.json", "*.tfstate", "*.kdbx", "*.keystore"});
// Settings and tools below secret paths that are not secret.
constexpr auto kHarmless = std::to_array<string_view>(
    {".config/git/config",     ".config/git/ignore",         ".config/git/attributes",     ".config/fontconfig",
     ".config/user-dirs.dirs", ".config/ccache/ccache.conf", ".config/clangd/config.yaml", ".config/flake8",
     ".config/matplotlib",     ".local/share/fonts",         ".local/share/mime",          ".local/share/icons",
     ".local/share/man",       ".local/share/virtualenv",    ".local/share/virtualenvs",   ".local/share/pnpm",
     ".local/share/uv",        ".local/share/mise",          ".local/share/pipx",          ".local/share/fnm"});
// A name such as "credentials" means a secret only in a data file: "password.py" is a program.
constexpr auto kDataEndings = std::to_array<string_view>(
    {"", ".json", ".yaml", ".yml", ".toml", ".ini", ".txt", ".conf", ".cfg", ".xml", ".env", ".db", ".sqlite"});

string_view ending_of(string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == string_view::npos || dot == 0 ? string_view{} : name.substr(dot);
}

}  // namespace

Secrets::Secrets(const Caller& caller, HostView& host) : host_(host) {
  if (auto home = host.resolve(caller.home); home && home->canonical != "/") home_ = home->canonical;
  Policy hidden;
  policy::apply_preset("permissive", {home_, caller.working_dir}, hidden);
  for (const PathRule& rule : hidden.paths)
    if (rule.access == Access::kHide) paths_.push_back(rule.path);
  paths_.insert(paths_.end(), kMorePaths.begin(), kMorePaths.end());
  if (!home_.empty()) {
    for (const string_view one : kMoreInHome) paths_.push_back(paths::join(home_, one));
    // Home directories of other users.
    const string_view around = paths::basename(paths::parent(home_));
    if (around == "homes" || around == "users" || around == "Users") paths_.emplace_back(paths::parent(home_));
  }
  Policy strict;
  policy::apply_preset("strict", caller, strict);
  for (const HidePattern& pattern : strict.patterns) {
    auto glob = Glob::parse(pattern.glob);
    if (!glob) continue;
    const std::string name = pattern.glob.substr(pattern.glob.rfind('/') + 1);
    // Every program that uses TLS reads certificates.
    if (name != "*.pem" && name != "*.key") hidden_names_.push_back(name);
    names_.push_back(std::move(*glob));
  }
  hidden_names_.insert(hidden_names_.end(), kMoreNames.begin(), kMoreNames.end());
}

// The deepest path counts: the user's own home directory is below /home, which is hidden.
bool Secrets::is_under_secret_path(string_view path) const {
  std::size_t deepest = 0;
  for (const std::string& place : paths_)
    if (paths::at_or_beneath(path, place)) deepest = std::max(deepest, place.size());
  if (deepest == 0) return false;
  if (home_.empty() || !paths::beneath(path, home_)) return true;
  if (deepest <= home_.size()) return false;
  return std::none_of(kHarmless.begin(), kHarmless.end(),
                      [&](string_view one) { return paths::at_or_beneath(path, paths::join(home_, one)); });
}

bool Secrets::has_secret_name(const std::string& path) const {
  const string_view name = paths::basename(path);
  const string_view ending = ending_of(name);
  for (const Glob& glob : names_) {
    if (!glob.matches_name(name)) continue;
    if (ending != ".pem" && ending != ".key") return true;
    // A certificate is not a secret.
    const auto text = host_.read_file(path, kLongestKey);
    if (!text || text->find("PRIVATE KEY") != std::string::npos) return true;
  }
  if (std::find(kDataEndings.begin(), kDataEndings.end(), ending) == kDataEndings.end()) return false;
  const auto kind = redaction::name_kind(name);
  return kind == redaction::NameKind::kKey || kind == redaction::NameKind::kPassword;
}

bool Secrets::is_secret(const std::string& path) const {
  return is_under_secret_path(path) || (host_.kind(path) != HostKind::kDirectory && has_secret_name(path));
}

bool Secrets::holds_secrets(const std::string& directory) const {
  if (std::any_of(paths_.begin(), paths_.end(), [&](const std::string& place) {
        return paths::at_or_beneath(place, directory) && host_.kind(place) != HostKind::kMissing;
      }))
    return true;
  std::deque<std::string> open = {directory};
  for (std::size_t seen = 0; !open.empty() && seen < kMostLookedAt; open.pop_front()) {
    const auto listed = host_.list_within(open.front(), {kMostLookedAt - seen});
    if (!listed) continue;
    seen += listed->entries.size();
    for (const HostEntry& entry : listed->entries) {
      std::string path = paths::join(open.front(), entry.name);
      if (entry.kind == HostKind::kDirectory)
        open.push_back(std::move(path));
      else if (has_secret_name(path) || entry.kind == HostKind::kSocket)
        return true;
    }
  }
  return false;
}

}  // namespace pinfold::learn
