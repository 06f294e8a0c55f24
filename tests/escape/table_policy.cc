// table_policy.cc: rows 5–7, 9 and 10: the policy's own paths, masks, privileged files, working directories, odd names.
// Not here: attempts on paths that the policy does not mention (table_files.cc).
#include <fcntl.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "steps.h"
#include "table.h"
#include "world.h"

namespace escape {
namespace {

void add_planted_links(Rows& rows) {
  rows.push_back({.number = 5,
                  .name = "--write through a planted symlink",
                  .probe = {"create", "{ws}/a/documents/planted"},
                  .obtains = Obtains::kChange,
                  .boxed = Boxed::kDeniedOrRefused,
                  .flags = {"--write", "{ws}/a/documents"},
                  .prepare = "ln -s {home} a"});
  rows.push_back({.number = 5,
                  .name = "--write to a missing path behind a planted symlink",
                  .probe = {"create", "{ws}/a/b/planted"},
                  .obtains = Obtains::kChange,
                  .boxed = Boxed::kDeniedOrRefused,
                  .flags = {"--write", "{ws}/a/b"},
                  .prepare = "ln -s {home} a"});
  rows.push_back({.number = 5,
                  .name = "--write to a planted symlink itself",
                  .probe = {"create", "{ws}/a/planted"},
                  .obtains = Obtains::kChange,
                  .boxed = Boxed::kDeniedOrRefused,
                  .flags = {"--write", "{ws}/a"},
                  .prepare = "ln -s {home}/.ssh a"});
  rows.push_back({.number = 5,
                  .name = "--read through a planted symlink",
                  .probe = {"read", "{ws}/a/.ssh/id_rsa"},
                  .obtains = Obtains::kSecret,
                  .boxed = Boxed::kDeniedOrRefused,
                  .flags = {"--read", "{ws}/a/.ssh"},
                  .prepare = "ln -s {home} a"});
  rows.push_back({.number = 5,
                  .name = "--protect through a planted symlink",
                  .probe = {"create", "{ws}/a/planted"},
                  .obtains = Obtains::kChange,
                  .boxed = Boxed::kCleanOrRefused,
                  .flags = {"--protect", "a/planted"},
                  .prepare = "ln -s {home} a"});
  rows.push_back({.number = 5,
                  .name = "protected directory is a planted symlink",
                  .probe = {"create", "{ws}/.claude/planted"},
                  .obtains = Obtains::kChange,
                  .boxed = Boxed::kCleanOrRefused,
                  .prepare = "ln -s {home} .claude"});
  rows.push_back({.number = 5,
                  .name = ".git is a planted symlink",
                  .probe = {"create", "{ws}/.git/planted"},
                  .obtains = Obtains::kChange,
                  .boxed = Boxed::kCleanOrRefused,
                  .prepare = "rm -rf .git; ln -s {home} .git"});
  rows.push_back({.number = 5,
                  .name = "gitdir file of the workspace points out",
                  .probe = {"create", "{home}/documents/planted"},
                  .obtains = Obtains::kChange,
                  .prepare = "rm -rf .git; echo 'gitdir: {home}/documents' > .git"});
  rows.push_back({.number = 5,
                  .name = "a workspace given by a symlink shows no more",
                  .probe = {"read", "{home}/.ssh/id_rsa"},
                  .obtains = Obtains::kSecret,
                  .boxed = Boxed::kDeniedOrRefused,
                  .flags = {"--workspace", "{ws}/a"},
                  .prepare = "ln -s {home}/documents a"});
}

void add_masks(Rows& rows) {
  rows.push_back({.number = 6,
                  .name = "a planted dev/null as the mask's source",
                  .probe = {"read", "{ws}/.env"},
                  .obtains = Obtains::kSecret,
                  .flags = {"--hide", "{ws}/.env"},
                  .prepare = "mkdir dev; ln -s {home}/.ssh/id_rsa dev/null"});
  for (const char* mode : {"000", "400"})
    rows.push_back({.number = 6,
                    .name = std::string("read .env in a directory of mode ") + mode,
                    .shell = "chmod 755 src; cat src/.env",
                    .obtains = Obtains::kSecret,
                    .files = {"src/.env"},
                    .prepare = std::string("chmod ") + mode + " src",
                    .steps = any_gap({step::kProtected, step::kPatterns})});
  for (const char* pattern : {"{ws}/.env", "**/.env", ".env"}) {
    rows.push_back({.number = 6,
                    .name = std::string("read what --hide ") + pattern + " hides",
                    .probe = {"read", "{ws}/.env"},
                    .obtains = Obtains::kSecret,
                    .flags = {"--hide", pattern},
                    .steps = absence({step::kHidden, step::kPatterns})});
  }
  rows.push_back({.number = 6,
                  .name = "read below a hidden directory",
                  .probe = {"read", "{ws}/deep/er/secret"},
                  .obtains = Obtains::kSecret,
                  .flags = {"--hide", "{ws}/deep"},
                  .files = {"deep/er/secret"}});
  rows.push_back({.number = 6,
                  .name = "write into a hidden directory",
                  .probe = {"create", "{ws}/deep/planted"},
                  .obtains = Obtains::kChange,
                  .boxed = Boxed::kHostClean,
                  .flags = {"--hide", "{ws}/deep"},
                  .files = {"deep/secret"}});
  rows.push_back({.number = 6,
                  .name = "replace a hidden file",
                  .shell = "printf x > n && mv n .env",
                  .obtains = Obtains::kChange,
                  .flags = {"--hide", "{ws}/.env"},
                  .may_leave = {"home/ws/n"}});
  rows.push_back({.number = 6,
                  .name = "remove a hidden file",
                  .probe = {"remove", "{ws}/.env"},
                  .obtains = Obtains::kChange,
                  .flags = {"--hide", "{ws}/.env"}});
  rows.push_back({.number = 6,
                  .name = "a file that --hide names by a symlink",
                  .probe = {"read", "{ws}/real"},
                  .obtains = Obtains::kSecret,
                  .boxed = Boxed::kDeniedOrRefused,
                  .flags = {"--hide", "{ws}/link"},
                  .files = {"real"},
                  .prepare = "ln -s real link"});
}

void add_privileged_files(Rows& rows) {
  for (const char* kind : {"block", "character"}) {
    rows.push_back({.number = 7,
                    .name = std::string("mknod of a ") + kind + " device",
                    .probe = {"make-node", "{ws}/node", kind, kind[0] == 'b' ? "7" : "1", "3"},
                    .obtains = Obtains::kChange,
                    .reach = Reach::kRootOnly,
                    .because = "mknod of devices needs CAP_MKNOD"});
  }
  for (const char* call :
       {"chmod", "fchmod", "fchmodat", "fchmodat2", "creat", "open", "openat", "openat2", "mknod", "mknodat"}) {
    for (const char* mode : {"04755", "02755"}) {
      rows.push_back({.number = 7,
                      .name = std::string(mode[1] == '4' ? "setuid" : "setgid") + " file by " + call,
                      .probe = {std::string("setuid-by-") + call, "{ws}/planted", mode},
                      .obtains = Obtains::kChange,
                      .boxed = Boxed::kDenied,
                      .may_leave = {"home/ws/planted"},
                      .check = [](const World& world, const Ran&) -> std::string {
                        Ran seen = run(world.command({"/usr/bin/find", world.workspace(), "-perm", "/6000"}));
                        return seen.out.empty() ? "" : "a setuid or setgid file is on the host";
                      }});
    }
  }
  rows.push_back({.number = 7,
                  .name = "set a file capability",
                  .probe = {"set-file-capability", "{ws}/planted"},
                  .reach = Reach::kRootOnly,
                  .because = "it needs CAP_SETFCAP",
                  .may_leave = {"home/ws/planted"}});
  rows.push_back({.number = 7,
                  .name = "give a file away",
                  .probe = {"change-owner", "{ws}/planted", "1"},
                  .obtains = Obtains::kChange,
                  .reach = Reach::kRootOnly,
                  .because = "it needs CAP_CHOWN",
                  .may_leave = {"home/ws/planted"}});
  for (const char* helper : {"setuid", "capable"}) {
    rows.push_back({.number = 7,
                    .name = std::string("run a ") + helper + " helper",
                    .shell = std::string("{base}/bin/") + helper,
                    .flags = {"--read", "{base}/bin"}});
  }
}

void add_working_directories(Rows& rows) {
  rows.push_back({.number = 9,
                  .name = "--cwd in a hidden directory",
                  .probe = {"read", "{home}/.ssh/id_rsa"},
                  .obtains = Obtains::kSecret,
                  .boxed = Boxed::kDeniedOrRefused,
                  .flags = {"--workspace", "{ws}"},
                  .cwd = "{home}/.ssh",
                  .steps = absence({step::kRead})});
  rows.push_back({.number = 9,
                  .name = "--cwd by a symlink to a hidden directory",
                  .probe = {"read", "{home}/.ssh/id_rsa"},
                  .obtains = Obtains::kSecret,
                  .boxed = Boxed::kDeniedOrRefused,
                  .flags = {"--workspace", "{ws}"},
                  .cwd = "{ws}/out",
                  .prepare = "ln -s {home}/.ssh out",
                  .steps = absence({step::kRead})});
  // A workspace is writable and shown whole: it must not be the home, or hold it.
  for (const char* directory : {"{home}", "{base}", "/"}) {
    rows.push_back({.number = 9,
                    .name = std::string("the working directory is ") + directory,
                    .probe = {"read", "{home}/.ssh/id_rsa"},
                    .obtains = Obtains::kSecret,
                    .boxed = Boxed::kDeniedOrRefused,
                    .cwd = directory});
    rows.push_back({.number = 9,
                    .name = std::string("--workspace ") + directory,
                    .probe = {"read", "{home}/.ssh/id_rsa"},
                    .obtains = Obtains::kSecret,
                    .boxed = Boxed::kDeniedOrRefused,
                    .flags = {"--workspace", directory}});
  }
  for (const char* flag : {"--read", "--write", "--hide"}) {
    rows.push_back({.number = 9,
                    .name = std::string(flag) + " of a missing path",
                    .probe = {"read", "{ws}/readme.txt"},
                    .boxed = Boxed::kRefused,
                    .flags = {flag, "{home}/documents/missing"}});
  }
  rows.push_back({.number = 9,
                  .name = "--read of a path that cannot be looked up",
                  .probe = {"read", "{ws}/readme.txt"},
                  .boxed = Boxed::kRefused,
                  .flags = {"--read", "{base}/locked/file"}});
  rows.push_back({.number = 9,
                  .name = "--cwd that is missing",
                  .probe = {"read", "{ws}/readme.txt"},
                  .boxed = Boxed::kRefused,
                  .cwd = "{ws}/missing"});
}

// A name, as it is in the file system, and as it may be called in a table.
struct OddName {
  const char* called;
  std::string bytes;
};

void add_names(Rows& rows) {
  std::string deep;
  for (int i = 0; i < 18; ++i) deep += std::string(200, static_cast<char>('a' + i)) + "/";
  const OddName names[] = {{"a newline", "a\nb"},
                           {"an ANSI escape", "a\033[2Jb"},
                           {"a bidi override",
                            "a\xe2\x80\xae"
                            "b"},
                           {"a zero-width space",
                            "a\xe2\x80\x8b"
                            "b"},
                           {"invalid UTF-8",
                            "a\xff\xfe"
                            "b"},
                           {"255 bytes", std::string(255, 'n')},
                           {"a path of 3,700 bytes", deep + "end"},
                           {"quotes and parentheses", "a\"b'c(d)\\e"},
                           {"glob characters", "a*b?c[d]"},
                           {"a bracket", "a[b"},
                           {"spaces and a dash", " -a b "},
                           {"an octal escape", "a\\040b"},
                           {"a colon and a comma", "a:b,c=d"}};
  for (const OddName& name : names) {
    rows.push_back({.number = 10,
                    .name = std::string("a hidden name with ") + name.called,
                    .probe = {"read", "{ws}/" + name.bytes},
                    .obtains = Obtains::kSecret,
                    .boxed = Boxed::kDeniedOrRefused,
                    .flags = {"--hide", "{ws}/" + name.bytes, "--report", "{base}/run/report.json"},
                    .files = {name.bytes},
                    .may_leave = {"run/report.json"},
                    .check = [](const World& world, const Ran& ran) -> std::string {
                      if (ran.err.find('\033') != std::string::npos) return "a raw escape on stderr";
                      if (ran.err.find("\xe2\x80\xae") != std::string::npos) return "a raw bidi override on stderr";
                      std::string text = read_file(world.base() + "/run/report.json");
                      if (text.empty()) return ran.exit_code == 125 || ran.exit_code == 126 ? "" : "no report";
                      return nlohmann::json::accept(text) ? "" : "the report is not valid JSON";
                    },
                    .steps = absence({step::kHidden})});
    rows.push_back({.number = 10,
                    .name = std::string("a protected name with ") + name.called,
                    .probe = {"append", "{ws}/" + name.bytes},
                    .obtains = Obtains::kChange,
                    .boxed = Boxed::kDeniedOrRefused,
                    .flags = {"--protect", "{ws}/" + name.bytes},
                    .files = {name.bytes},
                    .steps = any_gap({step::kProtected})});
  }
  rows.push_back({.number = 10,
                  .name = "a message about a name with an escape",
                  .probe = {"read", "{ws}/readme.txt"},
                  .boxed = Boxed::kRefused,
                  .flags = {"--read", "{ws}/no\033[2Jsuch\xe2\x80\xae\x9b"},
                  .check = [](const World&, const Ran& ran) -> std::string {
                    bool raw = ran.err.find('\033') != std::string::npos || ran.err.find('\x9b') != std::string::npos ||
                               ran.err.find("\xe2\x80\xae") != std::string::npos;
                    return raw ? "raw control characters on stderr" : "";
                  },
                  .steps = always()});
}

}  // namespace

Rows policy_rows() {
  Rows rows;
  add_planted_links(rows);
  add_masks(rows);
  add_privileged_files(rows);
  add_working_directories(rows);
  add_names(rows);
  return rows;
}

}  // namespace escape
