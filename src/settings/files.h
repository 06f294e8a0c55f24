// files.h: finds the user's and the project's policy file, and refuses files that another user can have written.
// Invariant: text is returned only if the file belongs to the caller and no other user can write to it.
// Not here: their content (policy/document.h), consent (trust.h).
#pragma once

#include <optional>
#include <string>

#include "base/host_view.h"
#include "pinfold/policy.h"

namespace pinfold::settings {

inline constexpr const char* kProjectFile = "pinfold.toml";

struct PolicyFile {
  std::string path;       // absolute
  std::string shown;      // as people should see it: "pinfold.toml", "~/.config/pinfold/config.toml"
  std::string directory;  // where its relative paths start; empty for the user's file
  std::string text;
};

// $XDG_CONFIG_HOME/pinfold, else ~/.config/pinfold. Empty without a home directory.
std::string config_directory(const Caller& caller, HostView& host);

// $XDG_STATE_HOME/pinfold, else ~/.local/state/pinfold: files that Pinfold writes. Empty without a home directory.
std::string state_directory(const Caller& caller, HostView& host);

// %LOCALAPPDATA%/pinfold/sandboxes: records of the access granted to runs on Windows, to revoke it. Empty elsewhere.
std::string grants_directory(const Caller& caller, HostView& host);

// config.toml, or nothing where there is none. The administrator may own it, and symlinks are the user's own business.
Result<std::optional<PolicyFile>> find_user_file(const Caller& caller, HostView& host);

// The nearest pinfold.toml from the working directory upwards, or nothing.
Result<std::optional<PolicyFile>> find_project_file(const Caller& caller, HostView& host);

// A file that the user named, read as a project's.
Result<PolicyFile> read_project_file(const std::string& path, const Caller& caller, HostView& host);

}  // namespace pinfold::settings
