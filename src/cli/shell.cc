// shell.cc: sets the prompt of each shell. A start-up file that a shell needs is written to the sandbox's temporary
// directory; the shell removes it after reading it.
#include "cli/shell.h"

#include <string_view>

#include "base/paths.h"

namespace pinfold::cli {
namespace {

// $1: the shell, $2: the text of its start-up file.
constexpr std::string_view kWithFile = R"sh(
directory=${TMPDIR:-/tmp}/pinfold-shell-$$
(umask 077 && mkdir "$directory" && printf %s "$2" >"$directory/$3") || exec "$1" -i
PINFOLD_SHELL_FILES=$directory
export PINFOLD_SHELL_FILES
)sh";

constexpr std::string_view kBash = R"sh(exec "$1" --rcfile "$directory/$3" -i)sh";
constexpr std::string_view kBashFile = R"bash(
rm -rf -- "$PINFOLD_SHELL_FILES"; unset PINFOLD_SHELL_FILES
for file in /etc/bash.bashrc /etc/bashrc ~/.bashrc; do if [ -r "$file" ]; then . "$file"; fi; done
unset file HISTFILE  # the history of this shell is nothing to keep
PS1="(pinfold) ${PS1:-\\s-\\v\\$ }"
)bash";

constexpr std::string_view kZsh = R"sh(ZDOTDIR=$directory exec "$1" -i)sh";
constexpr std::string_view kZshFile = R"zsh(
rm -rf -- "$PINFOLD_SHELL_FILES"; unset PINFOLD_SHELL_FILES
ZDOTDIR=$HOME
if [[ -r ~/.zshrc ]]; then source ~/.zshrc; fi
unset HISTFILE
_pinfold_prompt() { if [[ $PS1 != '(pinfold) '* ]]; then PS1="(pinfold) $PS1"; fi }
precmd_functions+=(_pinfold_prompt)
)zsh";

constexpr std::string_view kFishInit =
    "set -g fish_history ''; functions --copy fish_prompt __pinfold_prompt; function fish_prompt; printf '(pinfold) '; "
    "__pinfold_prompt; end";

// dash, busybox and other shells that take the prompt from the environment.
constexpr std::string_view kPlain = R"sh(PS1='(pinfold) $ ' exec "$1" -i)sh";

constexpr std::string_view kMarker = "pinfold-shell";

std::string choose_shell(const std::string& requested, HostView& host) {
  if (!requested.empty()) return requested;
  const auto shell = host.variable("SHELL");
  return shell && shell->starts_with("/") && host.executable(*shell) ? *shell : "/bin/sh";
}

}  // namespace

std::vector<std::string> shell_command(const std::string& requested, HostView& host) {
  const std::string shell = choose_shell(requested, host);
  const std::string_view name = paths::basename(shell);
  const auto script = [&](std::string_view body, std::string_view file, std::string_view file_name) {
    return std::vector<std::string>{
        "/bin/sh", "-c", std::string(body), std::string(kMarker), shell, std::string(file), std::string(file_name)};
  };
  if (name == "bash") return script(std::string(kWithFile) + std::string(kBash), kBashFile, "bashrc");
  if (name == "zsh") return script(std::string(kWithFile) + std::string(kZsh), kZshFile, ".zshrc");
  if (name == "fish") return {shell, "--interactive", "--init-command", std::string(kFishInit)};
  return script(kPlain, "", "");
}

std::optional<std::string> shell_of(const std::vector<std::string>& argv) {
  if (argv.size() == 7 && argv[3] == kMarker) return std::string(paths::basename(argv[4]));
  if (argv.size() == 4 && argv[3] == kFishInit) return std::string(paths::basename(argv[0]));
  return std::nullopt;
}

}  // namespace pinfold::cli
