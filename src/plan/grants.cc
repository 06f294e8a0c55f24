// grants.cc: flags for paths.
#include "plan/grants.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "base/paths.h"
#include "base/text.h"

namespace pinfold::plan {
namespace {

bool is_tool_directory(std::string_view name) {
  for (const std::string_view known : {"bin", "lib", "lib64", "libexec", "shims", "versions", "toolchains", "installs",
                                       "candidates", "sdk", "node_modules", "site-packages", "include", "plugins"})
    if (name == known) return true;
  return false;
}

// Paths below home that hold secrets or settings.
bool is_private_directory(std::string_view name) {
  for (const std::string_view known : {".ssh", ".aws", ".gnupg", ".config", ".kube", ".docker", ".azure", ".gcloud",
                                       ".mozilla", ".password-store", ".pki", ".claude", ".codex"})
    if (name == known) return true;
  return false;
}

std::optional<Grant> write_to(std::string path, const PlanView& view, HostView& host) {
  const bool too_wide = path == "/" || path == view.home() || host.kind(path) == HostKind::kMissing;
  return too_wide ? std::nullopt : std::optional(Grant{Grant::Kind::kWrite, std::move(path)});
}

}  // namespace

std::string toolchain_root(const std::string& path, const std::string& home) {
  const bool in_home = !home.empty() && home != "/" && path.starts_with(home + "/");
  if (!in_home && !path.starts_with("/opt/")) return path;
  std::string root = in_home ? home : "/opt";
  std::vector<std::string_view> parts;
  std::string_view rest = std::string_view(path).substr(root.size() + 1);
  while (true) {
    const std::size_t slash = rest.find('/');
    parts.push_back(rest.substr(0, slash));
    if (slash == std::string_view::npos) break;
    rest.remove_prefix(slash + 1);
  }
  if (in_home && is_private_directory(parts[0])) return path;
  // ~/.local is shared by many tools: go one or two folders deeper there.
  std::size_t keep = 1;
  if (in_home && parts[0] == ".local") keep = parts.size() > 1 && parts[1] == "share" ? 3 : 2;
  if (parts.size() <= keep) return path;
  // A dot folder, or /opt/x, may have its tools at any depth; another folder of the home only right below it
  // (~/go/bin).
  const bool any_depth = !in_home || parts[0].starts_with(".");
  const std::size_t last = any_depth ? parts.size() : std::min<std::size_t>(2, parts.size());
  bool tool = keep > 1;
  for (std::size_t i = keep; i < last; ++i) tool = tool || is_tool_directory(parts[i]);
  if (!tool) return path;
  for (std::size_t i = 0; i < keep; ++i) root.append("/").append(parts[i]);
  return root;
}

std::string flag_of(const Grant& grant) {
  const char* flag = grant.kind == Grant::Kind::kRead    ? "--read "
                     : grant.kind == Grant::Kind::kWrite ? "--write "
                                                         : "--net ";
  return flag + text::shell_word(grant.resource);
}

void allow_once_made(const std::string& path, Denial& denial) {
  denial.allow_with = flag_of({Grant::Kind::kWrite, path});
  denial.allow_note = "once it exists";
}

void move_note(Denial& denial) {
  if (denial.allow_with.empty() || denial.allow_with.starts_with("--")) return;
  denial.allow_note = std::exchange(denial.allow_with, {});
}

Grant read_grant(const std::string& path, const std::string& home) {
  return {Grant::Kind::kRead, toolchain_root(path, home)};
}

std::string read_flag(const std::string& path, const std::string& home) { return flag_of(read_grant(path, home)); }

std::optional<Grant> write_grant(const std::string& path, const PathLookup& lookup, const PlanView& view,
                                 HostView& host) {
  if (lookup.step != nullptr && lookup.step->origin.where == kClosedToOwner) return std::nullopt;
  const bool exists = host.kind(path) != HostKind::kMissing;
  const std::string_view granted = exists                                  ? std::string_view(path)
                                   : lookup.state == PathState::kProtected ? lookup.at
                                                                           : paths::parent(path);
  return write_to(std::string(granted), view, host);
}

std::optional<Grant> entry_grant(const std::string& path, const PlanView& view, HostView& host) {
  return write_to(std::string(paths::parent(path)), view, host);
}

std::optional<ExecDenial> exec_denial(const PlanView& view, const std::string& path, std::string_view name) {
  const ExecLimit* limit = view.exec();
  if (limit == nullptr || limit->mode == ExecMode::kAny) return std::nullopt;
  if (std::find(limit->programs.begin(), limit->programs.end(), path) != limit->programs.end()) return std::nullopt;
  const std::string& where = view.exec_step()->origin.where;
  if (limit->mode == ExecMode::kNone) return ExecDenial{"no program may be started (" + where + ")", "--exec any"};
  return ExecDenial{"not in the list of programs that may run (" + where + ")", "--exec " + text::shell_word(name)};
}

}  // namespace pinfold::plan
