// table_launch.cc: rows 15, 27, 28 and the first of 20: programs, variables, arguments, and no network.
// Not here: limits (table_resources.cc).
#include "steps.h"
#include "table.h"
#include "world.h"

namespace escape {

Rows exec_rows() {
  Rows rows;
  // A listed program must be one that the command cannot write: without mounts, one in the workspace cannot be.
  const Texts none = {"--exec", "none", "--read", "{base}/bin"};
  const Texts list = {"--exec", "{tool}", "--read", "{base}/bin"};
  struct Door {
    const char* name;
    Texts probe;
  };
  // With `none` and with a list that holds the probe alone, echo must not run.
  for (const Door& door :
       std::vector<Door>{{"execve", {"exec-path"}},
                         {"/proc/self/root/…/echo", {"exec-proc-root"}},
                         {"ld.so echo", {"exec-loader"}},
                         {"memfd and execveat", {"exec-memfd"}},
                         {"unnamed file and execveat", {"exec-unnamed", "{ws}"}},
                         {"unnamed file in /tmp and execveat", {"exec-unnamed", "/tmp"}},
                         {"copied binary", {"exec-copy", "{ws}/copy"}},
                         {"copied binary in /tmp", {"exec-copy", "/tmp/pinfold-escape-copy-{nonce}"}},
                         {"copied binary in /dev/shm", {"exec-copy", "/dev/shm/pinfold-escape-copy-{nonce}"}},
                         {"copied binary over itself", {"exec-copy", "{ws}/evil.sh"}},
                         {"copied binary by ld.so", {"exec-copy-loader", "{ws}/copy"}},
                         {"symlink to echo", {"exec-symlink", "{ws}/copy"}},
                         {"script of echo", {"exec-script", "{ws}/script", "/bin/echo"}},
                         {"script of env", {"exec-script", "{ws}/script", "/usr/bin/env -S echo"}}}) {
    for (const Texts& flags : {none, list}) {
      Row row{.number = 15,
              .name = std::string(flags[1] == "none" ? "exec none: " : "exec list: ") + door.name,
              .probe = door.probe,
              .boxed = Boxed::kEnded,
              .flags = flags,
              .may_leave = {"home/ws/copy", "home/ws/script", "home/ws/evil.sh"}};
      row.program = "{tool}";
      row.outside = {"/tmp/pinfold-escape-copy-{nonce}", "/dev/shm/pinfold-escape-copy-{nonce}"};
      rows.push_back(row);
    }
  }
  for (const char* attempt : {"fork", "vfork", "raw-fork", "clone3-child", "clone-vm", "posix-spawn"}) {
    rows.push_back({.number = 15,
                    .name = std::string("exec none: ") + attempt,
                    .probe = {attempt},
                    .flags = none,
                    .program = "{tool}"});
  }
  rows.push_back({.number = 15,
                  .name = "exec none: fork and exec",
                  .probe = {"fork-exec", "/bin/true"},
                  .flags = none,
                  .program = "{tool}"});
  rows.push_back({.number = 15,
                  .name = "exec list: fork and exec of another",
                  .probe = {"fork-exec", "/bin/true"},
                  .flags = list,
                  .program = "{tool}"});
  rows.push_back({.number = 15,
                  .name = "exec list: a listed program of the workspace rewritten",
                  .probe = {"exec-copy", "{ws}/evil.sh"},
                  .boxed = Boxed::kDeniedOrRefused,
                  .flags = {"--exec", "{probe}", "--exec", "{ws}/evil.sh"},
                  .may_leave = {"home/ws/evil.sh"}});
  rows.push_back({.number = 15,
                  .name = "exec list: a listed program of the workspace replaced",
                  .probe = {"exec-symlink", "{ws}/evil.sh"},
                  .boxed = Boxed::kDeniedOrRefused,
                  .flags = {"--exec", "{probe}", "--exec", "{ws}/evil.sh"},
                  .may_leave = {"home/ws/evil.sh"}});
  rows.push_back({.number = 15,
                  .name = "control: a listed program that is a symlink runs",
                  .shell = "echo ran",
                  .boxed = Boxed::kSame,
                  .flags = {"--exec", "sh"}});
  rows.push_back({.number = 15,
                  .name = "control: a listed program runs",
                  .probe = {"exec-path"},
                  .boxed = Boxed::kSame,
                  .flags = {"--exec", "{tool}", "--read", "{base}/bin", "--exec", "/bin/echo"},
                  .program = "{tool}"});
  rows.push_back({.number = 15,
                  .name = "control: threads work under exec none",
                  .probe = {"many-threads", "4"},
                  .boxed = Boxed::kSame,
                  .flags = none,
                  .program = "{tool}"});
  return rows;
}

namespace {

void add_environment(Rows& rows) {
  for (const char* name : {"CANARY_TOKEN", "AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN"}) {
    rows.push_back({.number = 27,
                    .name = std::string("secret variable ") + name,
                    .probe = {"variable", name},
                    .obtains = Obtains::kSecret});
  }
  for (const char* name : {"LD_PRELOAD",
                           "LD_LIBRARY_PATH",
                           "LD_AUDIT",
                           "NODE_OPTIONS",
                           "BASH_ENV",
                           "ENV",
                           "PYTHONSTARTUP",
                           "PYTHONHOME",
                           "PERL5OPT",
                           "RUBYOPT",
                           "JAVA_TOOL_OPTIONS",
                           "GIT_SSH_COMMAND",
                           "GIT_EXTERNAL_DIFF",
                           "GIT_CONFIG_GLOBAL",
                           "PROMPT_COMMAND",
                           "XDG_RUNTIME_DIR",
                           "DBUS_SESSION_BUS_ADDRESS",
                           "DISPLAY",
                           "WAYLAND_DISPLAY",
                           "TMPDIR",
                           "OPENAI_API_KEY",
                           "DOCKER_HOST",
                           "GPG_AGENT_INFO",
                           "HTTPS_PROXY"}) {
    rows.push_back({.number = 27,
                    .name = std::string("variable ") + name,
                    .probe = {"variable", name, "{secret}"},
                    .obtains = Obtains::kSecret,
                    .env = {std::string(name) + "=/nonexistent/{secret}-" + name}});
  }
  rows.push_back({.number = 27, .name = "variable SSH_AUTH_SOCK", .probe = {"variable", "SSH_AUTH_SOCK", "{base}"}});
  rows.push_back({.number = 27,
                  .name = "search the environment",
                  .probe = {"search-environment", "{secret}"},
                  .obtains = Obtains::kSecret});
  rows.push_back({.number = 27,
                  .name = "search the memory beside the environment",
                  .probe = {"search-stack", "{secret}"},
                  .obtains = Obtains::kSecret});
  for (const char* pid : {"1", "parent"}) {
    std::string called = pid[0] == '1' ? "PID 1" : "the parent";
    Risk risk = pid[0] == '1' ? Risk::kWholeHost : Risk::kSupervisor;
    rows.push_back({.number = 27,
                    .name = "environ of " + called,
                    .probe = {"environment-of", "{canary}", "{secret}"},
                    .obtains = Obtains::kSecret,
                    .risk = risk,
                    .boxed_probe = {"environment-of", pid, "{secret}"},
                    .steps = absence({step::kProcesses})});
    rows.push_back({.number = 27,
                    .name = "memory of " + called,
                    .probe = {"search-memory", "{canary}", "{secret}"},
                    .obtains = Obtains::kSecret,
                    .risk = risk,
                    .boxed_probe = {"search-memory", pid, "{secret}"},
                    .steps = absence({step::kProcesses})});
    rows.push_back({.number = 27,
                    .name = "stack layout of " + called,
                    .probe = {"read", "/proc/{canary}/maps"},
                    .risk = Risk::kWholeHost,
                    .boxed_probe = {"read", std::string("/proc/") + (pid[0] == '1' ? "1" : "1/task/1") + "/maps"},
                    .steps = absence({step::kProcesses})});
  }
  // A secret given to one command stays in that command's line.
  rows.push_back({.number = 27,
                  .name = "arguments of the supervisor",
                  .probe = {"search-all", "cmdline", "{secret}", "-argument"},
                  .obtains = Obtains::kSecret,
                  .flags = {"--env", "UNUSED={secret}-argument"},
                  .steps = any_gap({step::kProcesses})});
}

void add_arguments(Rows& rows) {
  struct Quoted {
    const char* called;
    Texts args;
  };
  for (const Quoted& quoted : std::vector<Quoted>{{"quotes", {"a b", "it's", "say \"x\"", "`id`"}},
                                                  {"substitution", {"$(touch PWNED)", "${HOME}", "$HOME", "~"}},
                                                  {"separators", {"a;touch PWNED", "&", "|", ">PWNED", "a&&b"}},
                                                  {"newlines", {"a\nb", "\n", "\ttab", " "}},
                                                  {"empty arguments", {"", "x", ""}},
                                                  {"globs", {"*", "?", "[a-z]*", "{a,b}"}},
                                                  {"options", {"--read", "/", "--", "-c", "--no-sandbox", "--help"}},
                                                  {"invalid UTF-8", {"\xff\xfe", "\xe2\x80\xae"}},
                                                  {"backslashes", {"\\", "\\\\n", "a\\", "%s%n"}}}) {
    Row row{
        .number = 28, .name = std::string("one argv: ") + quoted.called, .probe = {"arguments"}, .boxed = Boxed::kSame};
    row.probe.insert(row.probe.end(), quoted.args.begin(), quoted.args.end());
    rows.push_back(row);
  }
}

void add_network(Rows& rows) {
  auto reach = [&](const char* name, Texts probe, Steps steps = absence({step::kNetwork})) {
    rows.push_back({.number = 20,
                    .name = name,
                    .probe = std::move(probe),
                    .obtains = Obtains::kConnection,
                    .steps = std::move(steps)});
  };
  reach("TCP to a host listener", {"tcp", "{tcp}"});
  reach("UDP to a host listener", {"udp", "{udp}"});
  reach("TCP by IPv4-mapped IPv6", {"tcp-mapped", "{tcp}"});
  reach("TCP by MSG_FASTOPEN", {"fast-open", "{tcp}"});
  reach("MPTCP to a host listener", {"mptcp", "{tcp}"});
  reach("abstract unix socket", {"unix-stream", "@{secret}-stream"});
  reach("abstract unix datagram", {"unix-datagram", "@{secret}-datagram"});
  for (Row row : Rows(rows.end() - 7, rows.end())) {
    // The same where names are granted, none of which is the host's; landlock has no such rules, and refuses.
    row.name += ", where a name is granted";
    row.flags = {"--net", "granted.test"};
    row.boxed = Boxed::kDeniedOrRefused;
    rows.push_back(row);
  }
  // A socket with a name in the file system is also a file: without mounts it may be a known gap.
  reach("pathname unix socket outside", {"unix-stream", "{base}/run/stream"}, any_gap({step::kNetwork}));
  reach("pathname unix datagram outside", {"unix-datagram", "{base}/run/datagram"}, any_gap({step::kNetwork}));
  struct Family {
    const char* name;
    const char* lacks;
    bool root_only;
  };
  for (const Family& family : {Family{"vsock", "vsock", false},
                               {"audit", "audit", false},
                               {"uevent", "", false},
                               {"sock-diag", "", false},
                               {"netfilter", "netfilter", false},
                               {"mptcp", "mptcp", false},
                               {"packet", "", true},
                               {"raw-icmp", "", true},
                               {"raw-icmp6", "IPv6", true},
                               {"raw-ip", "", true},
                               {"xdp", "xdp", true},
                               {"alg", "alg", false},
                               {"sctp", "sctp", false},
                               {"bluetooth", "bluetooth", false}}) {
    rows.push_back({.number = 20,
                    .name = std::string("a ") + family.name + " socket",
                    .probe = {"family", family.name},
                    .reach = family.root_only ? Reach::kRootOnly : Reach::kBoth,
                    .because = family.root_only ? "it needs CAP_NET_RAW" : "",
                    .kernel_may_lack = family.lacks});
  }
}

}  // namespace

Rows launch_rows() {
  Rows rows;
  add_environment(rows);
  add_arguments(rows);
  add_network(rows);
  return rows;
}

}  // namespace escape
