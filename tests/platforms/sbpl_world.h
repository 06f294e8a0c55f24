// sbpl_world.h: a Mac in memory, and what a plan says about one attempt, for the tests of profiles.
// Invariant: expected() asks the plan (PlanView), never the profile.
// Not here: anything a program outside tests should include.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backend/darwin/sbpl_text.h"
#include "base/fake_host.h"
#include "base/glob.h"
#include "base/paths.h"
#include "plan/plan_view.h"

namespace pinfold::backend::darwin {

inline FakeHost& make_mac(FakeHost& host) {
  host.dir("/private/tmp").dir("/private/var/folders/ab/T").dir("/private/var/tmp").dir("/private/etc/ssl");
  host.dir("/private/var/select").dir("/private/var/db/timezone").file("/private/etc/passwd");
  host.file("/private/etc/master.passwd").file("/private/etc/sudoers");
  host.link("/tmp", "private/tmp").link("/var", "private/var").link("/etc", "private/etc");
  host.dir("/System/Library/Frameworks").dir("/System/Volumes/Preboot/Cryptexes/OS").dir("/Library/Developer");
  host.dir("/System/Volumes/Data/Users").dir("/usr/lib").dir("/usr/libexec").dir("/usr/local/bin").dir("/sbin");
  host.dir("/opt/homebrew/bin").dir("/Library/Keychains").dir("/Applications").dir("/dev");
  for (const char* name :
       {"/bin/sh", "/bin/bash", "/bin/ls", "/bin/cat", "/usr/bin/env", "/usr/bin/git", "/usr/bin/curl", "/usr/bin/true",
        "/usr/bin/make", "/opt/homebrew/bin/node", "/usr/bin/python3"})
    host.program(name, "\xcf\xfa\xed\xfe");
  host.home("/Users/ada").user("ada").uid(501).var("HOME", "/Users/ada").var("USER", "ada");
  host.var("PATH", "/opt/homebrew/bin:/usr/local/bin:/usr/bin:/bin");
  for (const char* secret : {".ssh", ".aws", ".config", "Documents", "Desktop", ".cargo/bin", ".rustup"})
    host.dir(std::string("/Users/ada/") + secret);
  host.file("/Users/ada/.ssh/id_rsa").file("/Users/ada/.bashrc").file("/Users/ada/.zshrc");
  host.dir("/Users/ada/ws/src").dir("/Users/ada/ws/.git/hooks").file("/Users/ada/ws/.git/config");
  return host.file("/Users/ada/ws/.env").file("/Users/ada/ws/src/main.c");
}

// Not beneath any other writable directory: renaming it takes a right to the directory above, which no rule gives.
inline bool is_outermost_root(const Plan& plan, std::string_view path) {
  for (const Step& step : plan.steps)
    if (const auto* show = std::get_if<ShowPath>(&step.body); show != nullptr)
      if ((show->view == View::kWrite || show->view == View::kWriteExec) && paths::beneath(path, show->at))
        return false;
  return true;
}

// Does a pattern of the plan hide it by its name? `rule` is the path of the rule that shows it: only what matches below
// counts. nullopt: a pattern that matches at or above the rule, and might again below it.
inline std::optional<bool> hidden_by_name(const Plan& plan, std::string_view rule, std::string_view path) {
  bool unsure = false;
  for (const HideNames& names : plan.names) {
    const auto glob = Glob::parse(names.glob);
    const std::size_t root = names.root == "/" ? 0 : names.root.size();
    if (!paths::beneath(path, names.root)) continue;
    bool below = false, above = false;
    for (std::string_view at = path; at.size() > root && at.size() > 1; at = paths::parent(at))
      (at.size() > rule.size() ? below : above) |= glob->matches(at.substr(root + 1));
    if (below && (!above || glob->by_name())) return true;
    unsure = unsure || below;
  }
  return unsure ? std::nullopt : std::optional(false);
}

// nullopt: the plan says nothing about it that a profile could be held to.
inline std::optional<bool> expected(const plan::PlanView& view, const Plan& plan, const std::string& operation,
                                    const std::string& path) {
  using plan::PathState;
  const plan::PathLookup lookup = view.look_up(path);
  if (lookup.state == PathState::kKernel || paths::at_or_beneath(path, "/dev") || paths::at_or_beneath(path, "/proc"))
    return std::nullopt;
  // Shown elsewhere than it lies: the profile speaks of where it lies.
  for (const Step& step : plan.steps)
    if (const auto* show = std::get_if<ShowPath>(&step.body); show != nullptr && show->host != show->at)
      if (paths::at_or_beneath(path, show->at) || paths::at_or_beneath(path, show->host) ||
          paths::at_or_beneath(show->host, path))
        return std::nullopt;
  // Below a file there is nothing.
  if (lookup.step != nullptr && path != lookup.at)
    if (const auto* show = std::get_if<ShowPath>(&lookup.step->body); show != nullptr && show->kind == EntryKind::kFile)
      return std::nullopt;
  const bool made_up = lookup.step != nullptr && (std::holds_alternative<MakeDirectory>(lookup.step->body) ||
                                                  std::holds_alternative<MakeLink>(lookup.step->body) ||
                                                  std::holds_alternative<MakeFile>(lookup.step->body));
  const bool hidden = lookup.state == PathState::kHidden || lookup.state == PathState::kPrivate || made_up;
  if (operation == "file-read-data") return path == "/" || !hidden;
  if (operation == "file-read-metadata") return hidden ? std::nullopt : std::optional(true);
  if (operation == "process-exec") {
    if (hidden) return false;
    // A protected name shows nothing by itself: the rule of its parent decides.
    for (std::string_view at = path; at.size() > 1; at = paths::parent(at))
      if (const Step* step = view.look_up(at).step; step != nullptr)
        if (const auto* show = std::get_if<ShowPath>(&step->body))
          return show->view == View::kReadExec || show->view == View::kWriteExec;
    return std::nullopt;
  }
  if (lookup.state != PathState::kWritable) return false;
  if (operation != "file-write-unlink") return true;
  // Renaming a directory removes the effect of every rule about a path in it.
  for (const Step& step : plan.steps) {
    const auto in = [&](std::string_view at) { return paths::beneath(at, path); };
    const auto* show = std::get_if<ShowPath>(&step.body);
    const auto* hide = std::get_if<HidePath>(&step.body);
    const auto* keep = std::get_if<ProtectPath>(&step.body);
    const auto* name = std::get_if<ProtectName>(&step.body);
    if ((show != nullptr && show->view != View::kWrite && show->view != View::kWriteExec && in(show->at)) ||
        (hide != nullptr && in(hide->at)) || (keep != nullptr && in(keep->at)) ||
        (name != nullptr && in(paths::join(name->parent, name->name))))
      return is_outermost_root(plan, path) ? std::optional<bool>() : false;
  }
  return true;
}

}  // namespace pinfold::backend::darwin
