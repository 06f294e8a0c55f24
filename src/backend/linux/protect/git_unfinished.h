// git_unfinished.h: which files of an unfinished rebase, am, cherry-pick, revert or bisect make git run a program when
// the user continues it.
// Invariant: an allow-list: only content that git itself writes, and that names no program, is harmless.
// Not here: opening and renaming the files (git_disarm.cc).
#pragma once

#include <array>
#include <string_view>

namespace pinfold::backend::on_linux {

// In the git directory; each holds the state of one operation.
inline constexpr auto kUnfinishedDirectories =
    std::to_array<const char*>({"rebase-merge", "rebase-apply", "sequencer"});

// A file of those directories.
struct UnfinishedFile {
  const char* name;
  bool (*is_harmless)(std::string_view text);
};

// git-rebase-todo, sequencer/todo: no exec line.
bool is_harmless_todo(std::string_view text);
// A strategy that is no command of git's is a program: `/x` is `git-merge-/x` in the work tree.
bool is_harmless_strategy(std::string_view text);
// Git up to 2.19 gives these words to the shell.
bool is_harmless_option_list(std::string_view text);
// Git up to 2.19 takes any variable from it for the environment of `git commit`.
bool is_harmless_author_script(std::string_view text);
// Options of `git apply`: --build-fake-ancestor would write any file.
bool is_harmless_apply_options(std::string_view text);
// sequencer/opts, in the format of git's configuration.
bool is_harmless_sequencer_options(std::string_view text);
// BISECT_NAMES, in the git directory itself: git up to 2.33 gives it to the shell.
bool is_harmless_bisect_names(std::string_view text);

inline constexpr auto kUnfinishedFiles =
    std::to_array<UnfinishedFile>({{"git-rebase-todo", is_harmless_todo},
                                   {"todo", is_harmless_todo},
                                   {"strategy", is_harmless_strategy},
                                   {"strategy_opts", is_harmless_option_list},
                                   {"allow_rerere_autoupdate", is_harmless_option_list},
                                   {"author-script", is_harmless_author_script},
                                   {"apply-opt", is_harmless_apply_options},
                                   {"opts", is_harmless_sequencer_options}});

}  // namespace pinfold::backend::on_linux
