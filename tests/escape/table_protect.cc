// table_protect.cc: row 4: names that must stay as they are in a writable workspace, and what a host command would run
// afterwards. evil.sh in the workspace makes ~/PWNED when anything executes it.
// Not here: races for the same names (table_races.cc).
#include "steps.h"
#include "table.h"

namespace escape {
namespace {

// A name that is not there yet may be refused, or undone after the fact: the host decides.
void add_absent_names(Rows& rows) {
  for (const char* file : {".claude/settings.json", ".envrc", ".mcp.json", ".idea/workspace.xml", ".husky/pre-commit",
                           ".husky/_/pre-commit", ".bashrc", ".zshrc", ".profile", ".cursor/mcp.json"}) {
    rows.push_back({.number = 4,
                    .name = std::string("create ") + file + " where there is none",
                    .probe = {"create", std::string("{ws}/") + file},
                    .obtains = Obtains::kChange,
                    .boxed = Boxed::kHostClean,
                    .steps = any_gap({step::kProtectedNew})});
  }
  auto make = [&](const char* name, const char* shell) {
    rows.push_back({.number = 4,
                    .name = name,
                    .shell = shell,
                    .obtains = Obtains::kChange,
                    .boxed = Boxed::kHostClean,
                    .may_leave = {"home/ws/n", "home/ws/here", "home/ws/e"},
                    .steps = any_gap({step::kProtectedNew})});
  };
  make("rename a file to .envrc", "printf x > n && mv n .envrc");
  make("rename a directory to .claude", "mkdir n && printf x > n/settings.json && mv n .claude");
  make("hard link .envrc", "ln readme.txt .envrc");
  make("symlink .claude", "ln -s src .claude");
  make("create .envrc by a relative path", "cd src && printf x > ../.envrc");
  make("create .envrc, then hide it under another name and back", "printf x > .envrc; mv .envrc e; mv e .envrc");
  make("create .claude by a link to the workspace", "ln -s . here && mkdir here/.claude");
  for (const char* name : {".envrc", ".claude"}) {
    rows.push_back({.number = 4,
                    .name = std::string("bind a local socket to ") + name + " where there is none",
                    .probe = {"bind-path", std::string("{ws}/") + name},
                    .obtains = Obtains::kChange,
                    .steps = any_gap({step::kProtectedNew})});
  }
  rows.push_back({.number = 4,
                  .name = "create a name given by --protect",
                  .probe = {"create", "{ws}/precious.txt"},
                  .obtains = Obtains::kChange,
                  .flags = {"--protect", "precious.txt"},
                  .steps = any_gap({step::kProtected, step::kProtectedNew})});
  rows.push_back({.number = 4,
                  .name = "create a directory given by --protect",
                  .probe = {"create", "{ws}/precious/file"},
                  .obtains = Obtains::kChange,
                  .flags = {"--protect", "precious"},
                  .steps = any_gap({step::kProtected, step::kProtectedNew})});
  rows.push_back({.number = 4,
                  .name = "rename the directory above a name given by --protect and make another",
                  .shell = "mv above/it moved && mkdir above/it && printf x > above/it/precious.txt",
                  .obtains = Obtains::kChange,
                  .flags = {"--protect", "above/it/precious.txt"},
                  .prepare = "mkdir -p above/it",
                  .may_leave = {"home/ws/moved"},  // mv copies a directory that it cannot rename
                  .steps = any_gap({step::kProtected, step::kProtectedNew})});
}

void add_existing_names(Rows& rows) {
  rows.push_back({.number = 4,
                  .name = "write beside a nested protected name",
                  .shell = "printf x >> kept/inner/beside",
                  .obtains = Obtains::kChange,
                  .flags = {"--protect", "kept", "--protect", "kept/inner/file"},
                  .prepare = "mkdir -p kept/inner && touch kept/inner/file kept/inner/beside",
                  .steps = any_gap({step::kProtected})});
  auto change = [&](const char* name, const char* shell, const char* prepare = "") {
    rows.push_back({.number = 4,
                    .name = name,
                    .shell = shell,
                    .obtains = Obtains::kChange,
                    .prepare = prepare,
                    .may_leave = {"home/ws/n"},
                    .steps = any_gap({step::kProtected, step::kProtectedBelow, step::kGit})});
  };
  change("create .vscode/tasks.json", "printf x > .vscode/tasks.json");
  change("append to .vscode/settings.json", "printf x >> .vscode/settings.json");
  change("append to sub/.vscode/tasks.json", "printf x >> sub/.vscode/tasks.json");
  change("append to sub/.vscode/tasks.json in a closed directory",
         "chmod 755 sub && printf x >> sub/.vscode/tasks.json", "chmod 000 sub");
  rows.back().steps = any_gap({step::kProtected});
  change("append to sub/.vscode/tasks.json in a directory that can only be listed",
         "chmod 755 sub && printf x >> sub/.vscode/tasks.json", "chmod 400 sub");
  rows.back().steps = any_gap({step::kProtected});
  change("remove .vscode/settings.json", "rm .vscode/settings.json");
  change("chmod .vscode/settings.json", "chmod 777 .vscode/settings.json");
  change("touch .vscode/settings.json", "touch -d 2001-01-01 .vscode/settings.json");
  change("rename .vscode away", "mv .vscode v");
  change("turn .vscode into a symlink", "mv .vscode v && ln -s v .vscode");
  change("rename the parent of .vscode", "mv sub s");
  change("rename the parent of .vscode and make another", "mv sub s && mkdir -p sub/.vscode");
  change("rename the workspace", "mv {ws} {home}/moved");
  rows.back().steps = absence({step::kWrite});
  change("append to .envrc", "printf x >> .envrc", "echo before > .envrc");
  change("rename over .envrc", "printf x > n; mv n .envrc; grep -q x .envrc", "echo before > .envrc");
  change("remove .envrc", "rm .envrc", "echo before > .envrc");
  change("append to a hook", "printf x >> .git/hooks/pre-commit", "cp evil.sh .git/hooks/pre-commit");
  change("append to .claude/settings.json", "printf x >> .claude/settings.json",
         "mkdir .claude && echo before > .claude/settings.json");
  change("append to a protected file through its symlink", "printf x >> .mcp.json",
         "echo before > real.json && ln -s real.json .mcp.json");
  rows.push_back({.number = 4,
                  .name = "exchange .vscode with another directory",
                  .probe = {"exchange", "{ws}/.vscode", "{ws}/src"},
                  .obtains = Obtains::kChange,
                  .steps = any_gap({step::kProtected})});
  rows.push_back({.number = 4,
                  .name = "exchange the parent of .vscode",
                  .probe = {"exchange", "{ws}/sub", "{ws}/src"},
                  .obtains = Obtains::kChange,
                  .steps = any_gap({step::kProtected, step::kProtectedBelow})});
  rows.push_back({.number = 4,
                  .name = "hard link a protected file, append to the link",
                  .probe = {"link-then-append", "{ws}/.vscode/settings.json", "{ws}/copy"},
                  .obtains = Obtains::kChange,
                  .steps = any_gap({step::kProtected})});
  rows.push_back({.number = 4,
                  .name = "umount the protection of .vscode",
                  .probe = {"umount", "{base}/mnt"},
                  .risk = Risk::kWholeHost,
                  .boxed_probe = {"umount", "{ws}/.vscode"},
                  .bare_mounts = Mounts::kOwn,
                  .steps = absence({step::kSystemCalls, step::kIdentity})});
}

// A planted program must not run when the user uses git on the host.
void add_git(Rows& rows) {
  auto plant = [&](const char* name, const char* shell, const char* after, const char* prepare = "") {
    rows.push_back({.number = 4,
                    .name = name,
                    .shell = shell,
                    .obtains = Obtains::kExecution,
                    .boxed = Boxed::kHostClean,
                    .prepare = prepare,
                    .after = after,
                    .may_leave = {"home/ws"}});
  };
  const char* commit = "git commit -q --allow-empty -m x";
  const char* status = "git status";
  const char* no_git = "rm -rf .git";
  plant("git: a new hook", "cp evil.sh .git/hooks/pre-commit", commit);
  plant("git: hooks directory replaced", "rm -rf .git/hooks; mkdir .git/hooks; cp evil.sh .git/hooks/pre-commit",
        commit);
  plant("git: hooks directory renamed", "mv .git/hooks .git/h; mkdir .git/hooks; cp evil.sh .git/hooks/pre-commit",
        commit);
  plant("git: hooks turned into a symlink",
        "mv .git/hooks .git/h; ln -s {ws}/src .git/hooks; cp evil.sh src/pre-commit", commit);
  plant("git: mv .git g; mkdir .git", "mv .git g; mkdir .git; cp -r g/. .git; cp evil.sh .git/hooks/pre-commit",
        commit);
  plant("git: .git turned into a symlink", "mv .git g; ln -s g .git; cp evil.sh g/hooks/pre-commit", commit);
  plant("git: a hook made executable", "chmod 755 .git/hooks/pre-commit", commit,
        "cp evil.sh .git/hooks/pre-commit; chmod 644 .git/hooks/pre-commit");
  plant("git: a hook rewritten through a hard link", "ln .git/hooks/pre-commit h; cat evil.sh > h", commit,
        "printf '#!/bin/sh\\n' > .git/hooks/pre-commit; chmod 755 .git/hooks/pre-commit");
  plant("git: core.fsmonitor by git config", "git config core.fsmonitor {ws}/evil.sh", status);
  plant("git: core.fsmonitor appended", "printf '[core]\\nfsmonitor = {ws}/evil.sh\\n' >> .git/config", status);
  plant("git: config replaced by rename",
        "cp .git/config c; git config -f c core.fsmonitor {ws}/evil.sh; mv c .git/config", status);
  plant("git: core.hooksPath", "mkdir h; cp evil.sh h/pre-commit; git config core.hooksPath h", commit);
  plant("git: include.path", "git config -f inc core.fsmonitor {ws}/evil.sh; git config include.path ../inc", status);
  plant("git: a clean filter", "echo '*.x filter=f' > .gitattributes; git config filter.f.clean {ws}/evil.sh",
        "echo 1 > a.x; git add a.x");
  plant("git: gpg.program", "git config gpg.program {ws}/evil.sh; git config commit.gpgsign true", commit);
  plant("git: diff.external", "git config diff.external {ws}/evil.sh; echo more >> readme.txt", "git diff");
  plant("git: commondir",
        "cp -r .git e; git config -f e/config core.fsmonitor {ws}/evil.sh; echo ../e > .git/commondir", status);
  plant("git: config.worktree", "git config -f .git/config.worktree core.fsmonitor {ws}/evil.sh", status,
        "git config extensions.worktreeConfig true");
  plant("git: gitdir of an existing worktree",
        "cp -r .git e; git config -f e/config core.fsmonitor {ws}/evil.sh;"
        " echo 'gitdir: {ws}/e' > wt/.git",
        "git -C wt status", "git worktree add -q wt");
  plant("git: commondir of an existing worktree",
        "cp -r .git e; git config -f e/config core.fsmonitor {ws}/evil.sh;"
        " echo {ws}/e > .git/worktrees/wt/commondir",
        "git -C wt status", "git worktree add -q wt");
  plant("git: config.worktree of an existing worktree",
        "git config -f .git/worktrees/wt/config.worktree core.fsmonitor {ws}/evil.sh", "git -C wt status",
        "git config extensions.worktreeConfig true; git worktree add -q wt");
  plant("git: a new worktree with its own gitdir",
        "mkdir wt; cp -r .git e; "
        "git config -f e/config core.fsmonitor {ws}/evil.sh; echo 'gitdir: {ws}/e' > wt/.git",
        "git -C wt status");
  plant("git: config of a submodule", "git config -f .git/modules/sm/config core.fsmonitor {ws}/evil.sh",
        "git -C sm status", "mkdir -p .git/modules; git init -q --separate-git-dir .git/modules/sm sm");
  plant("git: hook of a submodule", "cp evil.sh .git/modules/sm/hooks/pre-commit",
        "git -C sm -c user.name=a -c user.email=b commit -q --allow-empty -m x",
        "mkdir -p .git/modules; git init -q --separate-git-dir .git/modules/sm sm");
  plant("git: config of a repository below", "git -C below config core.fsmonitor {ws}/evil.sh", "git -C below status",
        "git init -q below");
  plant("git: config of a repository two levels below", "git -C a/b config core.fsmonitor {ws}/evil.sh",
        "git -C a/b status", "mkdir a; git init -q a/b");
  plant("git: hooks where core.hooksPath points", "cp evil.sh tools/pre-commit", commit,
        "mkdir tools; printf '#!/bin/sh\\n' > tools/pre-commit; chmod 755 tools/pre-commit; git config core.hooksPath "
        "tools");
  plant("git: a script of .husky/_", "cp evil.sh .husky/_/pre-commit", commit,
        "mkdir -p .husky/_; printf '#!/bin/sh\\n' > .husky/_/pre-commit; chmod 755 .husky/_/pre-commit;"
        " git config core.hooksPath .husky/_");
  plant("git: .husky/_ where there is none", "mkdir -p .husky/_; cp evil.sh .husky/_/pre-commit", commit,
        "git config core.hooksPath .husky/_");
  plant("git: init, then a hook", "git init -q; cp evil.sh .git/hooks/pre-commit",
        "git -c user.name=a -c user.email=b commit -q --allow-empty -m x", no_git);
  plant("git: init, then core.fsmonitor", "git init -q; git config core.fsmonitor {ws}/evil.sh", status, no_git);
  plant("git: init with a template", "mkdir -p t/hooks; cp evil.sh t/hooks/pre-commit; git init -q --template=t",
        "git -c user.name=a -c user.email=b commit -q --allow-empty -m x", no_git);
  plant("git: init elsewhere, moved to .git",
        "git init -q n; git -C n config core.fsmonitor {ws}/evil.sh; mv n/.git .git", status, no_git);
  plant("git: a gitdir file",
        "git init -q e; git -C e config core.fsmonitor {ws}/evil.sh; mv e/.git g;"
        " echo 'gitdir: {ws}/g' > .git",
        status, no_git);
  plant("git: a symlink as .git",
        "git init -q e; git -C e config core.fsmonitor {ws}/evil.sh; mv e/.git g;"
        " ln -s g .git",
        status, no_git);
  plant("git: a new repository below", "git init -q new; git -C new config core.fsmonitor {ws}/evil.sh",
        "git -C new status");
  plant("git: a bare layout below",
        "git init -q --bare src/b; cd src/b; git config core.bare false;"
        " git config core.worktree {ws}/src; git config core.fsmonitor {ws}/evil.sh",
        "git -C src/b status");
  plant("git: a bare layout at the top",
        "git init -q --bare b; mv b/HEAD b/objects b/refs b/config .;"
        " git config -f config core.bare false; git config -f config core.worktree {ws}/src;"
        " git config -f config core.fsmonitor {ws}/evil.sh",
        status, no_git);

  auto works = [&](const char* name, const char* shell, const char* prepare = "") {
    rows.push_back({.number = 4,
                    .name = name,
                    .shell = shell,
                    .boxed = Boxed::kSame,
                    .prepare = prepare,
                    .may_leave = {"home/ws"}});
  };
  works("control: git commit works", "echo more >> readme.txt; git commit -qam more; git log --oneline | wc -l");
  works("control: git init works",
        "git init -q -b main; git add readme.txt; git -c user.name=a -c user.email=b commit -qm first;"
        " git log --format=%s",
        no_git);
  works("control: git worktree works",
        "git worktree add -q wt; git -C wt log --format=%s; rm -r wt; git worktree prune");
}

}  // namespace

Rows protect_rows() {
  Rows rows;
  add_absent_names(rows);
  add_existing_names(rows);
  add_git(rows);
  return rows;
}

}  // namespace escape
