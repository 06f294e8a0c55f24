// table_planted.cc: row 4: the same names and repositories as table_protect.cc, by ways that are hard to follow: links
// of /proc, deleted and deep directories, directories closed to their owner, pointers that go up. Invariant: each is
// judged by what the host runs afterwards, so that no trace is taken for harm.
#include "steps.h"
#include "table.h"

namespace escape {
namespace {

// Coverage calls new names partial, for races; none of these is one.
Steps no_race() { return absence({step::kProtected, step::kProtectedNew, step::kGit}); }

void add_names(Rows& rows) {
  auto plant = [&](const char* name, const char* shell, const char* after = "[ -e .envrc ] && sh .envrc",
                   const char* prepare = "") {
    rows.push_back({.number = 4,
                    .name = name,
                    .shell = shell,
                    .obtains = Obtains::kExecution,
                    .boxed = Boxed::kDenied,  // not only undone
                    .prepare = prepare,
                    .after = after,
                    .may_leave = {"home/ws"},
                    .steps = no_race()});
  };
  plant("create .envrc through /proc/self/cwd", "cp evil.sh /proc/self/cwd/.envrc");
  plant("create .envrc through /proc/thread-self/cwd", "cp evil.sh /proc/thread-self/cwd/.envrc");
  plant("create .envrc through a descriptor", "exec 9<.; cp evil.sh /proc/self/fd/9/.envrc");
  plant("create .envrc through /proc by a way around", "cp evil.sh /proc/../proc//self/./cwd/.envrc");
  plant("create .envrc through a link to /proc", "ln -s /proc/self/cwd l; cp evil.sh l/.envrc");
  plant("create .envrc through the parent's /proc", "cp evil.sh /proc/$$/cwd/.envrc");
  plant("create .envrc through /proc/self/root", "cp evil.sh /proc/self/root{ws}/.envrc");
  plant("create .envrc through a dangling link", "ln -s .envrc l; cat evil.sh > l");
  plant("create .envrc from a deleted directory", "mkdir x; cd x; rmdir ../x; cat {ws}/evil.sh > ../.envrc");
  plant("create .envrc from a directory that is too deep to have a path",
        "python3 -c \"import os\nevil = open('evil.sh').read()\n"
        "for i in range(18): os.mkdir('d' * 250); os.chdir('d' * 250)\n"
        "os.write(os.open('../' * 18 + '.envrc', os.O_CREAT | os.O_WRONLY, 0o755), evil.encode())\"");
  plant("create .envrc and close the directory", "cp evil.sh /proc/self/cwd/.envrc; chmod 555 .");
  plant("rename to .claude through /proc and close the directory",
        "mkdir t; cp evil.sh t/x; mv -T t /proc/self/cwd/.claude; chmod 555 .", "[ -e .claude/x ] && sh .claude/x");
  plant("replace a protected symlink", "rm .envrc; cp evil.sh .envrc", "sh .envrc",
        "mkdir cfg; : > cfg/envrc; ln -s cfg/envrc .envrc");
  plant("replace a protected symlink through /proc", "rm /proc/self/cwd/.envrc; cp evil.sh /proc/self/cwd/.envrc",
        "sh .envrc", "mkdir cfg; : > cfg/envrc; ln -s cfg/envrc .envrc");
  plant("rename a protected symlink away", "mv .envrc e; cp evil.sh .envrc", "sh .envrc",
        "mkdir cfg; : > cfg/envrc; ln -s cfg/envrc .envrc");
  rows.push_back({.number = 4,
                  .name = "remove a protected symlink",
                  .shell = "rm .envrc",
                  .obtains = Obtains::kChange,
                  .prepare = "mkdir cfg; : > cfg/envrc; ln -s cfg/envrc .envrc",
                  .steps = no_race()});
}

// Mounts hold these wherever there are some; without them, the answer to each call must.
void add_existing(Rows& rows) {
  auto plant = [&](const char* name, const char* shell, const char* after, const char* prepare = "") {
    rows.push_back({.number = 4,
                    .name = name,
                    .shell = shell,
                    .obtains = Obtains::kExecution,
                    .boxed = Boxed::kHostClean,
                    .prepare = prepare,
                    .after = after,
                    .may_leave = {"home/ws"},
                    .steps = no_race()});
  };
  const char* commit = "git commit -q --allow-empty -m x";
  plant("git: config appended through /proc",
        "printf '[core]\\nfsmonitor = {ws}/evil.sh\\n' >> /proc/self/cwd/.git/config", "git status");
  plant("git: a new hook through /proc", "cp evil.sh /proc/self/cwd/.git/hooks/pre-commit", commit);
  plant("git: .git renamed through /proc",
        "mv /proc/self/cwd/.git /proc/self/cwd/g; mkdir .git; cp -r g/. .git; cp evil.sh .git/hooks/pre-commit",
        commit);
  plant("git: hooks where the user's core.hooksPath points", "cp evil.sh my-hooks/pre-commit", commit,
        "git config --global core.hooksPath my-hooks; mkdir my-hooks");
  plant("git: hooks where the user's core.hooksPath points to nothing",
        "mkdir my-hooks; cp evil.sh my-hooks/pre-commit", commit, "git config --global core.hooksPath my-hooks");
}

// The user's core.hooksPath counts in every repository, also in those outside the workspace.
void add_users_hooks(Rows& rows) {
  auto plant = [&](const char* name, const char* path, const char* prepare, const char* after) {
    rows.push_back(
        {.number = 4,
         .name = name,
         .shell = "cp evil.sh my-hooks/pre-commit",
         .obtains = Obtains::kExecution,
         .boxed = Boxed::kHostClean,
         .prepare = std::string("git config --global core.hooksPath ") + path + "; mkdir my-hooks; " + prepare,
         .after = after,
         .may_leave = {"home/ws", "home/main"},
         .steps = no_race()});
  };
  plant("git: hooks where the user's core.hooksPath points below ~", "'~/ws/my-hooks'", "",
        "git commit -q --allow-empty -m x");
  plant("git: hooks of a repository elsewhere, in a workspace without one", "{ws}/my-hooks",
        "rm -rf .git; git init -q {home}/main",
        "git -C {home}/main -c user.name=a -c user.email=b commit -q --allow-empty -m x");
}

void add_repositories(Rows& rows) {
  auto plant = [&](const char* name, const char* shell, const char* after, const char* prepare = "") {
    rows.push_back({.number = 4,
                    .name = name,
                    .shell = shell,
                    .obtains = Obtains::kExecution,
                    .boxed = Boxed::kHostClean,
                    .prepare = prepare,
                    .after = after,
                    .may_leave = {"home/ws"},
                    .steps = no_race()});
  };
  const char* below = "git init -q below; git -C below -c user.name=a -c user.email=b commit -q --allow-empty -m x";
  const char* commit_below = "git -C below -c user.name=a -c user.email=b commit -q --allow-empty -m x";
  plant("git: a new repository through /proc",
        "mkdir new; mkdir /proc/self/cwd/new/.git; git init -q new; git -C new config core.fsmonitor {ws}/evil.sh",
        "git -C new status");
  plant("git: the last of three hundred new repositories",
        "for i in $(seq 300); do mkdir -p m/$i/.git; done; git init -q m/300;"
        " git -C m/300 config core.fsmonitor {ws}/evil.sh",
        "git -C m/300 status");
  plant("git: a bare layout made in a .git, then moved out",
        "mkdir -p f/.git; git init -q --bare f/.git/b; cd f/.git/b; git config core.bare false;"
        " git config core.worktree {ws}/src; git config core.fsmonitor {ws}/evil.sh; cd {ws}; mv f/.git/b b; rm -r f",
        "git -C b status");
  plant("git: a new repository, closed to its owner",
        "git init -q new; git -C new config core.fsmonitor {ws}/evil.sh; chmod 555 new/.git new", "git -C new status");
  plant("git: a hook in a directory closed to its owner",
        "git init -q new; cp evil.sh new/.git/hooks/pre-commit; chmod 555 new/.git/hooks new/.git",
        "chmod 755 new/.git; git -C new -c user.name=a -c user.email=b commit -q --allow-empty -m x");
  plant("git: a new repository below a directory closed to its owner",
        "mkdir o; git init -q o/new; git -C o/new config core.fsmonitor {ws}/evil.sh; chmod 0 o",
        "chmod 755 o; git -C o/new status");
  plant("git: names that are in the way of cleaning",
        "git init -q new; git -C new config core.fsmonitor {ws}/evil.sh;"
        " mkdir new/.git/config.disabled-by-pinfold new/.git/config.pinfold-new",
        "git -C new status");
  plant("git: hooks of a repository below that has none",
        "mkdir below/.git/hooks; cp evil.sh below/.git/hooks/pre-commit", commit_below,
        "git init -q --template= below");
  plant("git: commondir of a repository below",
        "cp -r below/.git e; git config -f e/config core.fsmonitor {ws}/evil.sh; mv e below/.git/e;"
        " echo e > below/.git/commondir",
        "git -C below status", below);
  plant("git: config.worktree of a repository below",
        "git config -f below/.git/config.worktree core.fsmonitor {ws}/evil.sh", "git -C below status",
        "git init -q below; git -C below config extensions.worktreeConfig true");
  plant("git: a worktree's pointer that goes up",
        "mkdir -p x/.git/worktrees wt; cp -r below/.git x/.git/e; git config -f x/.git/e/config core.fsmonitor"
        " {ws}/evil.sh; mkdir -p x/.git/e/a/b; cp x/.git/e/HEAD x/.git/e/a/b; echo ../.. > x/.git/e/a/b/commondir;"
        " echo {ws}/wt/.git > x/.git/e/a/b/gitdir; echo 'gitdir: {ws}/x/.git/worktrees/../e/a/b' > wt/.git",
        "git -C wt status", below);
  // What cleans up has the user's rights: it must not be led out of the workspace.
  for (const char* target : {"{ws}/x/.git/modules/../../../../", "../x/.git/modules/../../../../"}) {
    rows.push_back({.number = 4,
                    .name = std::string("git: a pointer to ") + (target[0] == '{' ? "a" : "another") +
                            " place that cleaning must not change",
                    .shell = "echo x >> {home}/.aws/config || true; echo x >> {home}/other/.git/hooks/pre-push || true;"
                             " mkdir -p x/.git/modules a b; echo 'gitdir: " +
                             std::string(target) + ".aws' > a/.git; echo 'gitdir: " + target + "other/.git' > b/.git",
                    .obtains = Obtains::kChange,
                    .boxed = Boxed::kHostClean,
                    .prepare = "mkdir -p {home}/.aws {home}/other/.git/hooks; echo '[profile x]' > {home}/.aws/config;"
                               " chmod 600 {home}/.aws/config; echo '#!/bin/sh' > {home}/other/.git/hooks/pre-push",
                    .may_leave = {"home/ws"},
                    .steps = always()});
  }
  auto works = [&](const char* name, const char* shell, const char* prepare = "") {
    rows.push_back({.number = 4,
                    .name = name,
                    .shell = shell,
                    .boxed = Boxed::kSame,
                    .prepare = prepare,
                    .may_leave = {"home/ws"}});
  };
  works("control: git commit works in a repository below",
        "git -C below -c user.name=a -c user.email=b commit -q --allow-empty -m y; git -C below log --format=%s",
        below);
  works(
      "control: git clone with submodules works",
      "git -c protocol.file.allow=always clone -q --recurse-submodules {ws}/outer copy; git -C copy/sm log --format=%s",
      "git init -q inner; git -C inner -c user.name=a -c user.email=b commit -q --allow-empty -m in; git init -q outer;"
      " cd outer; git -c protocol.file.allow=always submodule --quiet add {ws}/inner sm;"
      " git -c user.name=a -c user.email=b commit -qm out");
}

}  // namespace

Rows planted_rows() {
  Rows rows;
  add_names(rows);
  add_existing(rows);
  add_users_hooks(rows);
  add_repositories(rows);
  return rows;
}

}  // namespace escape
