// table_git.cc: row 4: git directories by their layout, under any name: bare and split repositories, the ones that
// a flag makes writable, and what git reads in them besides hooks and configuration.
// Invariant: each is judged by what git on the host runs afterwards. Not here: `.git` itself (table_protect.cc).
#include <string_view>

#include "steps.h"
#include "table.h"

namespace escape {
namespace {

// Coverage calls new names partial, for races; none of these is one.
Steps no_race() { return absence({step::kProtected, step::kProtectedNew, step::kGit}); }

struct Plant {
  const char* name;
  std::string shell;
  const char* after;
  std::string prepare = {};
  Texts flags = {};
  Texts may_leave = {"home/ws"};
};

bool is_push(std::string_view command) { return command.find("git push") != std::string_view::npos; }

void add(Rows& rows, const Plant& plant) {
  rows.push_back({.number = 4,
                  .name = plant.name,
                  .shell = plant.shell,
                  .obtains = Obtains::kExecution,
                  .boxed = Boxed::kHostClean,
                  .flags = plant.flags,
                  .prepare = plant.prepare,
                  .after = plant.after,
                  .may_leave = plant.may_leave,
                  .steps = no_race(),
                  .needs = plant.prepare.find("seq 52000") != std::string::npos || is_push(plant.after)
                               ? Needs::kWholeSystem
                               : Needs::kFewPrograms});
}

void add_split(Rows& rows) {
  // With a commondir git takes the work tree only from config.worktree.
  const std::string head =
      " mkdir -p s; echo 'ref: refs/heads/main' > s/HEAD;"
      " printf '[core]\\nbare = false\\nworktree = {ws}/src\\n' > s/config.worktree;";
  const std::string plain =
      " mkdir -p hidden/objects hidden/refs;"
      " printf '[core]\\nrepositoryformatversion = 1\\n[extensions]\\nworktreeConfig = true\\n' > hidden/config;";
  const std::string evil = " printf '[core]\\nfsmonitor = {ws}/evil.sh\\n' >> hidden/config;";
  const std::string pointer = " echo ../hidden > s/commondir;";
  add(rows, {"git: a split repository", head + plain + evil + pointer, "git -C s status"});
  add(rows, {"git: a split repository with settings of its worktree",
             head + plain + pointer + " printf '[core]\\nfsmonitor = {ws}/evil.sh\\n' >> s/config.worktree",
             "git -C s status"});
  add(rows, {"git: a split repository below a directory called worktrees",
             "mkdir -p h/worktrees/s; cd h/worktrees;" + head + " cd ../..;" + plain + evil +
                 " mv hidden/* h; echo ../.. > h/worktrees/s/commondir",
             "git -C h/worktrees/s status"});
  add(rows, {"git: only commondir is new", pointer, "git -C s status", head + plain + evil});
  add(rows, {"git: settings of a split repository that was there", evil, "git -C s status", head + plain + pointer});
  add(rows,
      {"git: the common directory of a split repository is new", plain + evil, "git -C s status", head + pointer});
  add(rows, {"git: the common directory of a split repository replaces a link", "rm hidden;" + plain + evil,
             "git -C s status", head + pointer + " mkdir -p e/objects e/refs; ln -s e hidden"});
  add(rows, {"git: the common directory of a split repository had no settings", "mv hidden e;" + plain + evil,
             "git -C s status", head + pointer + " mkdir -p hidden/objects hidden/refs"});
  add(rows, {"git: only HEAD is new", "echo 'ref: refs/heads/main' > b/HEAD", "git -C b status",
             "mkdir -p b/objects b/refs; printf '[core]\\nrepositoryformatversion = 0\\nbare = false\\nworktree = "
             "{ws}/src\\nfsmonitor = {ws}/evil.sh\\n'"
             " > b/config"});
}

void add_bare(Rows& rows) {
  const char* bare = "git init -q --bare r.git";
  const char* outside = "git init -q --bare {home}/out.git";
  const char* worktree =
      "git init -q {home}/main; git -C {home}/main -c user.name=a -c user.email=b commit -q --allow-empty -m x;"
      " git -C {home}/main worktree add -q {ws}/wt";
  const char* push = "git -c user.name=a -c user.email=b commit -q --allow-empty -m x; git push -q {ws}/r.git HEAD:x";
  const char* commit = "git -C wt -c user.name=a -c user.email=b commit -q --allow-empty -m x";
  add(rows, {"git: a hook of a bare repository", "cp evil.sh r.git/hooks/post-receive", push, bare});
  add(rows, {"git: hooks of a bare repository that has none", "mkdir r.git/hooks; cp evil.sh r.git/hooks/post-receive",
             push, "git init -q --bare --template= r.git"});
  add(rows, {"git: settings of a bare repository",
             "git -C r.git config core.bare false; git -C r.git config core.worktree {ws}/src;"
             " git -C r.git config core.fsmonitor {ws}/evil.sh",
             "git -C r.git status", bare});
  add(rows, {"git: mv r.git g; mkdir r.git",
             "mv r.git g; mkdir r.git; cp -r g/. r.git; cp evil.sh r.git/hooks/post-receive", push, bare});
  add(rows,
      {"git: commondir of a bare repository",
       "cp -r r.git e; git config -f e/config core.repositoryformatversion 1;"
       " git config -f e/config extensions.worktreeConfig true; git config -f e/config core.fsmonitor {ws}/evil.sh;"
       " printf '[core]\\nbare = false\\nworktree = {ws}/src\\n' > r.git/config.worktree; rm e/HEAD;"
       " echo ../e > r.git/commondir",
       "git -C r.git status", bare});
  add(rows, {"git: a hook of a bare repository two levels below", "cp evil.sh a/b/r/hooks/post-receive",
             "git -c user.name=a -c user.email=b commit -q --allow-empty -m x; git push -q {ws}/a/b/r HEAD:x",
             "mkdir -p a/b; git init -q --bare a/b/r"});
  add(rows, {"git: a hook of a separate git directory", "cp evil.sh store/hooks/pre-commit",
             "git -C sm -c user.name=a -c user.email=b commit -q --allow-empty -m x",
             "git init -q --separate-git-dir store sm"});
  add(rows, {"git: a hook of a bare repository inside .git", "cp evil.sh .git/side/hooks/post-receive",
             "git -c user.name=a -c user.email=b commit -q --allow-empty -m x; git push -q {ws}/.git/side HEAD:x",
             "git init -q --bare .git/side"});
  add(rows, {"git: a hook of a repository in node_modules", "cp evil.sh node_modules/x/.git/hooks/pre-commit",
             "git -C node_modules/x -c user.name=a -c user.email=b commit -q --allow-empty -m x",
             "git init -q node_modules/x"});
  add(rows, {"git: a hook of a bare repository in node_modules", "cp evil.sh node_modules/r/hooks/post-receive",
             "git -c user.name=a -c user.email=b commit -q --allow-empty -m x; git push -q {ws}/node_modules/r HEAD:x",
             "git init -q --bare node_modules/r"});
  add(rows, {"git: a layout whose names are swapped in memory",
             "mkdir b; {probe} race-git b; printf '[core]\nrepositoryformatversion = 0\nbare = false\nworktree = "
             "{ws}/src\nfsmonitor = {ws}/evil.sh\n' > b/config",
             "git -C b status"});
  const Texts leave_out = {"home/ws", "home/out.git"};
  add(rows, {"git: a hook of a repository that --write names",
             "cp evil.sh {home}/out.git/hooks/post-receive",
             "git -c user.name=a -c user.email=b commit -q --allow-empty -m x; git push -q {home}/out.git HEAD:x",
             outside,
             {"--write", "{home}/out.git"},
             leave_out});
  add(rows, {"git: settings of a repository that --write names",
             "git -C {home}/out.git config core.bare false; git -C {home}/out.git config core.worktree {ws}/src;"
             " git -C {home}/out.git config core.fsmonitor {ws}/evil.sh",
             "git -C {home}/out.git status",
             outside,
             {"--write", "{home}/out.git"},
             leave_out});
  const Texts leave_main = {"home/ws", "home/main"};
  add(rows, {"git: a hook of the .git that --write names for a worktree",
             "cp evil.sh {home}/main/.git/hooks/pre-commit",
             commit,
             worktree,
             {"--write", "{home}/main/.git"},
             leave_main});
  add(rows, {"git: settings of the .git that --write names for a worktree",
             "git -C wt config core.fsmonitor {ws}/evil.sh",
             "git -C wt status",
             worktree,
             {"--write", "{home}/main/.git"},
             leave_main});
  rows.push_back({.number = 4,
                  .name = "control: git commit works in a worktree of a .git that --write names",
                  .shell = commit,
                  .boxed = Boxed::kSame,
                  .flags = {"--write", "{home}/main/.git"},
                  .prepare = worktree,
                  .may_leave = leave_main});
  rows.push_back({.number = 4,
                  .name = "control: git push works to a bare repository",
                  .shell = "git -c user.name=a -c user.email=b commit -q --allow-empty -m x;"
                           " git push -q {ws}/r.git HEAD:x; git -C r.git log --format=%s x",
                  .boxed = Boxed::kSame,
                  .prepare = bare,
                  .may_leave = {"home/ws"}});
  rows.push_back({.number = 4,
                  .name = "control: hooks of a bare repository that --write names",
                  .shell = "cp evil.sh r.git/hooks/post-receive",
                  .boxed = Boxed::kSame,
                  .flags = {"--write", "r.git/hooks"},
                  .prepare = bare,
                  .may_leave = {"home/ws"}});
}

// What names an address or a command, besides hooks and core.*.
void add_addresses(Rows& rows) {
  const char* fetch = "git -C new -c protocol.ext.allow=always fetch";
  add(rows, {"git: the remote of a branch runs a program",
             "git init -q -b main new; git -C new config branch.main.remote 'ext::{ws}/evil.sh x';"
             " git -C new config branch.main.merge refs/heads/main",
             fetch});
  add(rows, {"git: the name of a remote runs a program",
             "git init -q new; printf '[remote \"ext::{ws}/evil.sh x\"]\\nfetch = a\\n' >> new/.git/config",
             "git -C new -c protocol.ext.allow=always fetch --all"});
  add(rows,
      {"git: a file in remotes",
       "git init -q new; mkdir -p new/.git/remotes; echo 'URL: ext::{ws}/evil.sh x' > new/.git/remotes/origin", fetch});
  add(rows,
      {"git: a file in branches",
       "git init -q new; mkdir -p new/.git/branches; echo 'ext::{ws}/evil.sh x' > new/.git/branches/origin", fetch});
  add(rows, {"git: a file in remotes of a repository that was there",
             "mkdir .git/remotes; echo 'URL: ext::{ws}/evil.sh x' > .git/remotes/origin",
             "git -c protocol.ext.allow=always fetch"});
  add(rows, {"git: a file in branches of a repository that was there",
             "mkdir -p .git/branches; echo 'ext::{ws}/evil.sh x' > .git/branches/origin",
             "git -c protocol.ext.allow=always fetch"});
  add(rows, {"git: a rebase that runs a program",
             "git init -q new; cd new; git -c user.name=a -c user.email=b commit -q --allow-empty -m x;"
             " git -c user.name=a -c user.email=b commit -q --allow-empty -m y;"
             " GIT_SEQUENCE_EDITOR='printf \"break\\nexec {ws}/evil.sh\\n\" >' git rebase -q -i HEAD~1",
             "git -C new -c user.name=a -c user.email=b rebase --continue"});
}

// Files of any age come along when a directory gets another name.
void add_renamed(Rows& rows) {
  const std::string payload =
      "git init -q p && mv p/.git payload && mv payload/HEAD payload/H;"
      " git config -f payload/config core.fsmonitor {ws}/evil.sh;";
  add(rows, {"git: an older directory becomes .git after many others",
             "for i in $(seq 300); do mkdir -p m/$i/.git; done; mkdir n; mv payload n/.git; mv n/.git/H n/.git/HEAD",
             "git -C n status", payload});
  add(rows, {"git: an older directory takes the place of an empty .git",
             "mv -T payload n/.git; mv n/.git/H n/.git/HEAD", "git -C n status", payload + " mkdir -p n/.git"});
  add(rows, {"git: the list of a rebase in a repository that was there",
             "mkdir .git/rebase-merge; cd .git/rebase-merge; echo 'exec {ws}/evil.sh' > git-rebase-todo;"
             " git rev-parse HEAD | tee onto > orig-head; echo refs/heads/main > head-name;"
             " touch interactive done; echo 1 | tee msgnum > end",
             "git -c user.name=a -c user.email=b rebase --continue"});
}

// Git runs a program when the user continues what a run has left unfinished in a repository that was there.
void add_unfinished(Rows& rows) {
  const std::string identity = "git -c user.name=a -c user.email=b ";
  const std::string commits = " for i in 1 2 3; do echo $i > f$i; git add f$i; " + identity + "commit -q -m $i; done;";
  const std::string stop = commits + " GIT_SEQUENCE_EDITOR='sed -i 1ibreak' " + identity + "rebase -q -i HEAD~1;";
  const std::string list = " echo 'exec {ws}/evil.sh' >> .git/rebase-merge/git-rebase-todo;";
  const std::string program = " mkdir git-merge-; cp evil.sh git-merge-/x;";
  const std::string picks = commits + program +
                            " mkdir .git/sequencer; cd .git/sequencer; git rev-parse HEAD | tee head > abort-safety;"
                            " echo \"pick $(git rev-parse HEAD~1) x\" | tee todo > t; cat t >> todo; rm t;"
                            " printf '[options]\\nstrategy = /x\\n' > opts; cd ../..;";
  const std::string go_on = identity + "rebase --continue";
  const std::string pick_on = identity + "cherry-pick --continue";
  add(rows, {"git: a symlink called rebase-merge",
             stop + list + " mv .git/rebase-merge .rb; ln -s ../.rb .git/rebase-merge", go_on.c_str()});
  add(rows, {"git: the list of a rebase is a symlink",
             stop + list + " cd .git/rebase-merge; mv git-rebase-todo ../../.todo; ln -s ../../.todo git-rebase-todo",
             go_on.c_str()});
  add(rows,
      {"git: the strategy of a rebase",
       stop + program + identity + "commit -q --amend -m z; echo /x > .git/rebase-merge/strategy", go_on.c_str()});
  add(rows, {"git: the strategy of a cherry-pick", picks, pick_on.c_str()});
  add(rows, {"git: a symlink called sequencer", picks + " mv .git/sequencer .seq; ln -s ../.seq .git/sequencer",
             pick_on.c_str()});
  add(rows, {"git: the list of a rebase in a worktree that was there",
             "cd wt;" + stop + " echo 'exec {ws}/evil.sh' >> $(git rev-parse --git-path rebase-merge)/git-rebase-todo",
             "git -C wt -c user.name=a -c user.email=b rebase --continue",
             identity + "commit -q --allow-empty -m x; git worktree add -q wt"});
  const std::string commit = identity + "commit -q --allow-empty -m '{ws}/evil.sh'; sh victim";
  add(rows, {"git: the message of a commit is a link to a script",
             "rm -f .git/COMMIT_EDITMSG; ln -s {ws}/victim .git/COMMIT_EDITMSG", commit.c_str(), ": > victim"});
  rows.push_back({.number = 4,
                  .name = "control: a rebase with a strategy of git's own goes on",
                  .shell = stop + " echo ort > .git/rebase-merge/strategy; " + go_on + " 2>&1; git log --format=%s",
                  .boxed = Boxed::kSame,
                  .may_leave = {"home/ws"}});
}

// Every file of these folders is a remote, under any name: also one that was disabled there.
void add_remote_names(Rows& rows) {
  const char* names = "for n in o.sample origin x.disabled-by-pinfold-y o.disabled-by-pinfold-0123456789abcdef; do ";
  add(rows, {"git: files of any name in remotes",
             std::string("git init -q new; mkdir -p new/.git/remotes; ") + names +
                 "echo 'URL: ext::{ws}/evil.sh x' > new/.git/remotes/$n; done",
             "for n in $(ls -A new/.git/remotes); do git -C new -c protocol.ext.allow=always fetch $n; done"});
  add(rows, {"git: files of any name in branches",
             std::string("git init -q new; mkdir -p new/.git/branches; ") + names +
                 "echo 'ext::{ws}/evil.sh x' > new/.git/branches/$n; done",
             "for n in $(ls -A new/.git/branches); do git -C new -c protocol.ext.allow=always fetch $n; done"});
}

// What an earlier run left so that the next one protects less: directories closed to their owner, and repositories
// that use up a bound.
void add_earlier_runs(Rows& rows) {
  const char* commit = "chmod 755 .git; git -c user.name=a -c user.email=b commit -q --allow-empty -m x";
  add(rows, {"git: a hook in a .git that an earlier run closed", "chmod 755 .git; cp evil.sh .git/hooks/pre-commit",
             commit, "chmod 000 .git"});
  add(rows, {"git: settings in a .git that an earlier run closed",
             "chmod 755 .git; git config core.fsmonitor {ws}/evil.sh", "chmod 755 .git; git status", "chmod 600 .git"});
  const char* push =
      "chmod 755 r.git; git -c user.name=a -c user.email=b commit -q --allow-empty -m x; git push -q {ws}/r.git HEAD:x";
  for (const char* mode : {"000", "311", "600"})
    add(rows, {("git: a hook in a bare repository of mode " + std::string(mode)).c_str(),
               "chmod 755 r.git; cp evil.sh r.git/hooks/post-receive", push,
               "git init -q --bare r.git; chmod " + std::string(mode) + " r.git"});
  add(rows,
      {"git: a hook in a repository below a closed directory", "chmod 755 sub; cp evil.sh sub/a/.git/hooks/pre-commit",
       "chmod 755 sub; git -C sub/a -c user.name=a -c user.email=b commit -q --allow-empty -m x",
       "git init -q sub/a; chmod 000 sub"});
  const char* push_zz =
      "git -c user.name=a -c user.email=b commit -q --allow-empty -m x; git push -q {ws}/zz.git HEAD:x";
  add(rows, {"git: a hook of a bare repository after forty others", "cp evil.sh zz.git/hooks/post-receive", push_zz,
             "git init -q --bare zz.git; for i in $(seq 40); do mkdir -p a$i/hooks a$i/objects a$i/refs;"
             " echo 'ref: refs/heads/main' > a$i/HEAD; : > a$i/config; done"});
  add(rows,
      {"git: a hook of a bare repository after three hundred others", "cp evil.sh zz.git/hooks/post-receive", push_zz,
       "git init -q --bare zz.git; for i in $(seq 300); do mkdir -p a$i/objects a$i/refs;"
       " : > a$i/HEAD; : > a$i/config; done"});
  add(rows, {"git: a hook of a repository after 52,000 files", "cp evil.sh zz/q/s/n/.git/hooks/pre-commit",
             "git -C zz/q/s/n -c user.name=a -c user.email=b commit -q --allow-empty -m x",
             "git init -q zz/q/s/n; mkdir -p a/b; cd a/b; seq 52000 | xargs touch"});
}

// A directory that cannot be opened by its path does not end the search.
void add_unopenable(Rows& rows) {
  add(rows, {"git: a new repository behind a directory too deep to be opened",
             "python3 -c \"import os\nfor i in range(18): os.mkdir('d' * 250); os.chdir('d' * 250)\";"
             " n=n; for i in $(seq 22); do n=$n/n; done; mkdir -p $n;"
             // More than are held open, so that only the search finds the last.
             " for i in $(seq 300); do mkdir -p m/$i/.git; done;"
             " git init -q $n; git -C $n config core.fsmonitor {ws}/evil.sh",
             "n=n; for i in $(seq 22); do n=$n/n; done; git -C $n status"});
}

}  // namespace

Rows git_rows() {
  Rows rows;
  add_split(rows);
  add_bare(rows);
  add_addresses(rows);
  add_renamed(rows);
  add_unfinished(rows);
  add_remote_names(rows);
  add_earlier_runs(rows);
  add_unopenable(rows);
  return rows;
}

}  // namespace escape
