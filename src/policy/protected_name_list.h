// protected_name_list.h: the names that every preset but danger-full-access protects inside writable roots.
// Invariant: relative, at most two components; docs/reference/presets.md lists them.
// Not here: matching paths (protected_name_index.h), files that policies add (builder_values.cc).
#pragma once

#include <array>
#include <string_view>

namespace pinfold::policy {

inline constexpr auto kProtectedNames = std::to_array<std::string_view>({
    ".git/hooks",
    ".git/config",
    ".git/config.worktree",
    ".git/commondir",
    ".git/remotes",
    ".git/branches",
    ".gitmodules",
    ".gitconfig",
    ".husky",
    ".githooks",
    ".vscode",
    ".idea",
    ".vs",
    ".fleet",
    ".zed",
    ".cursor",
    ".cursorrules",
    ".windsurf",
    ".claude",
    ".codex",
    ".gemini",
    ".aider.conf.yml",
    ".continue",
    ".roo",
    ".cline",
    ".mcp.json",
    ".devcontainer",
    ".devcontainer.json",
    ".envrc",
    ".direnv",
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".zlogout",
    ".inputrc",
    ".vimrc",
    ".nvimrc",
    ".exrc",
    ".gdbinit",
    ".lldbinit",
    ".ripgreprc",
    ".tmux.conf",
    "pinfold.toml",
    ".pinfold",
});

}  // namespace pinfold::policy
