// hints.cc: facts → hints, one function for each thing that can be the matter.
// Invariant: every value in a script is quoted for its reader: a shell, or AppArmor's parser.
#include "report/hints.h"

#include <algorithm>
#include <initializer_list>

#include <fmt/format.h>

#include "base/text.h"

namespace pinfold::report {

namespace {

using std::string;
using std::string_view;

constexpr KernelVersion kMountSetattr{5, 12};
constexpr KernelVersion kLandlock{5, 13};

string release(KernelVersion version) { return fmt::format("{}.{}", version.major, version.minor); }

string install(const HostFacts& facts, string_view package) {
  switch (facts.distribution) {
    case Distribution::kDebian: return fmt::format("{}apt-get install {}", facts.as_root, package);
    case Distribution::kFedora: return fmt::format("{}dnf install {}", facts.as_root, package);
    case Distribution::kArch: return fmt::format("{}pacman -S {}", facts.as_root, package);
    case Distribution::kSuse: return fmt::format("{}zypper install {}", facts.as_root, package);
    case Distribution::kAlpine: return fmt::format("{}apk add {}", facts.as_root, package);
    case Distribution::kOther: break;
  }
  return {};
}

// A setting of the kernel, now and after the next boot. -p reads one file with every sysctl(8), busybox's too.
Hint setting(const HostFacts& facts, string problem, string_view name, string_view value) {
  constexpr string_view kFile = "/etc/sysctl.d/60-pinfold.conf";
  Hint hint{std::move(problem), {}, fmt::format("{}sysctl -w {}={}", facts.as_root, name, value), {}};
  hint.script = fmt::format("echo '{} = {}' | {}tee -a {}\n{}sysctl -p {}\n", name, value, facts.as_root, kFile,
                            facts.as_root, kFile);
  if (facts.container != Container::kNone) hint.advice.emplace_back("On the host of this container, not inside it.");
  return hint;
}

Hint apparmor(const HostFacts& facts) {
  Hint hint{
      "AppArmor takes the privileges in user namespaces from programs without a profile of their own "
      "(kernel.apparmor_restrict_unprivileged_userns is 1).",
      {"This profile gives them to this program alone; everything else stays as it is."},
      "pinfold doctor --fix-hints prints an AppArmor profile for this program",
      {}};
  if (facts.program.empty()) return hint;
  if (!facts.home.empty() && facts.program.starts_with(facts.home + "/"))
    hint.advice.emplace_back(
        "Every user who can write the program gets the privileges of the profile: install it where only root can "
        "write, "
        "for example in /usr/local/bin, and run `pinfold doctor --fix-hints` there.");
  hint.script = fmt::format(
      "{0}tee /etc/apparmor.d/pinfold >/dev/null <<'END'\n{1}END\n"
      "{0}apparmor_parser -r /etc/apparmor.d/pinfold\n",
      facts.as_root, apparmor_profile(facts.program));
  return hint;
}

Hint container(const HostFacts& facts) {
  Hint hint{
      "This is a container, whose engine refuses new namespaces, mounts in them, or a /proc of one's own.",
      {"Start it with the options below. They lift the engine's own filters for this container: a seccomp profile "
       "that allows clone, unshare, mount, umount2, pivot_root, open_tree, move_mount and mount_setattr does with "
       "less than seccomp=unconfined."},
      "pinfold doctor --fix-hints prints how to start this container",
      {}};
  // Each engine has its own words for the same: its filter of system calls, its AppArmor profile, its masks over /proc.
  const auto add = [&](Container engine, std::initializer_list<const char*> lines) {
    if (facts.container == engine || facts.container == Container::kUnknown)
      hint.advice.insert(hint.advice.end(), lines.begin(), lines.end());
  };
  add(Container::kDocker, {"  docker run \\", "    --security-opt seccomp=unconfined \\",
                           "    --security-opt apparmor=unconfined \\", "    --security-opt systempaths=unconfined …"});
  add(Container::kPodman,
      {"  podman run \\", "    --security-opt seccomp=unconfined \\", "    --security-opt unmask=ALL …"});
  add(Container::kKubernetes,
      {"  # Kubernetes: in the pod's spec; procMount needs hostUsers", "  hostUsers: false",
       "  containers:", "  - securityContext:", "      procMount: Unmasked", "      seccompProfile: {type: Unconfined}",
       "      appArmorProfile: {type: Unconfined}"});
  return hint;
}

// Where bwrap works and the native backend does not: it can do without mount_setattr; Arch has it setuid; AppArmor may
// know it.
bool bubblewrap_would_help(const HostFacts& facts) {
  if (facts.has_bubblewrap || facts.container != Container::kNone) return false;
  const bool restricted = facts.apparmor_restricts_namespaces.value_or(0) != 0;
  const bool off = facts.unprivileged_namespaces == 0u || facts.max_user_namespaces == 0u;
  if (facts.kernel && *facts.kernel < kMountSetattr && !off && !restricted) return true;
  if (facts.unprivileged_namespaces == 0u && facts.distribution == Distribution::kArch) return true;
  return restricted && facts.has_bubblewrap_profile && !off;
}

Hint bubblewrap(const HostFacts& facts) {
  const bool setuid = facts.distribution == Distribution::kArch && facts.unprivileged_namespaces == 0u;
  const string command = install(facts, setuid ? "bubblewrap-suid" : "bubblewrap");
  Hint hint{"bubblewrap is not installed; Pinfold can use it where the native backend cannot start.", {}, command, {}};
  if (command.empty()) {
    hint.brief = "install bubblewrap";
    hint.advice.emplace_back("Install the package that has bwrap in it.");
  } else {
    hint.script = command + "\n";
  }
  return hint;
}

Hint older_kernel(const HostFacts& facts, KernelVersion wanted, string_view what) {
  const string since = release(wanted);
  return {fmt::format("The kernel is {}; {} needs {} or newer.", release(*facts.kernel), what, since),
          {"Install and boot a newer kernel of your distribution."},
          "boot a kernel since " + since,
          {}};
}

void namespaces(const HostFacts& facts, std::vector<Hint>& out) {
  if (facts.apparmor_restricts_namespaces.value_or(0) != 0) out.push_back(apparmor(facts));
  if (facts.unprivileged_namespaces == 0u)
    out.push_back(setting(facts, "User namespaces are switched off for ordinary users.",
                          "kernel.unprivileged_userns_clone", "1"));
  if (facts.max_user_namespaces == 0u)
    out.push_back(
        setting(facts, "The number of user namespaces is limited to none.", "user.max_user_namespaces", "10000"));
  if (bubblewrap_would_help(facts)) out.push_back(bubblewrap(facts));
  if (facts.kernel && *facts.kernel < kMountSetattr)
    out.push_back(older_kernel(facts, kMountSetattr, "the native backend"));
  if (facts.container != Container::kNone) out.push_back(container(facts));
}

// How this distribution gives its kernel one more word, to the line's end.
std::vector<string> boot_lines(const HostFacts& facts, const string& word) {
  const string& root = facts.as_root;
  const string grub = fmt::format("{}sed -i 's/^GRUB_CMDLINE_LINUX=\"/&{} /' /etc/default/grub", root, word);
  switch (facts.distribution) {
    case Distribution::kDebian: return {grub, root + "update-grub"};
    case Distribution::kFedora: return {fmt::format("{}grubby --update-kernel=ALL --args={}", root, word)};
    case Distribution::kArch: return {grub, root + "grub-mkconfig -o /boot/grub/grub.cfg"};
    case Distribution::kSuse: return {grub, root + "grub2-mkconfig -o /boot/grub2/grub.cfg"};
    case Distribution::kAlpine:
      return {fmt::format("{}sed -i 's/^default_kernel_opts=\"/&{} /' /etc/update-extlinux.conf", root, word),
              root + "update-extlinux"};
    case Distribution::kOther: break;
  }
  return {};
}

Hint landlock(const HostFacts& facts) {
  if (facts.kernel && *facts.kernel < kLandlock) return older_kernel(facts, kLandlock, "Landlock");
  const auto& modules = facts.security_modules;
  if (facts.container != Container::kNone || std::find(modules.begin(), modules.end(), "landlock") != modules.end())
    return {"Landlock is refused here, as by an old seccomp profile of a container.",
            {"Allow landlock_create_ruleset, landlock_add_rule and landlock_restrict_self, or update the engine; the "
             "host's kernel must have landlock in its lsm= list."},
            "allow the landlock system calls in the container's seccomp profile",
            {}};
  string list = "landlock";
  // "capability" is always there and cannot be listed.
  for (const string& one : modules)
    if (one != "capability") list += "," + one;
  Hint hint{"Landlock is not switched on in this kernel.", {}, "", {}};
  if (modules.empty()) {
    hint.advice.emplace_back("The list that the kernel was booted with: cat /sys/kernel/security/lsm");
    hint.advice.emplace_back("Boot with lsm= and that list, with \"landlock,\" before it and without capability.");
    hint.brief = "boot with landlock in the kernel's lsm= list";
    return hint;
  }
  const string word = "lsm=" + list;
  hint.brief = "boot with " + word;
  hint.advice.push_back(fmt::format("It has to be booted with {}", word));
  const auto lines = boot_lines(facts, word);
  if (!lines.empty() && facts.distribution != Distribution::kFedora)
    hint.advice.emplace_back(facts.distribution == Distribution::kAlpine
                                 ? "For extlinux; another boot loader has a file of its own for that."
                                 : "For GRUB; another boot loader has a file of its own for that.");
  for (const string& line : lines) hint.script += line + "\n";
  if (!lines.empty()) hint.script += facts.as_root + "reboot\n";
  return hint;
}

Hint cgroup(const HostFacts& facts) {
  Hint hint{"A limit for the whole tree needs a cgroup, and none can be made here.", {}, "", {}};
  if (facts.container != Container::kNone || !facts.has_systemd) {
    hint.advice.emplace_back(
        "Run Pinfold where its own part of /sys/fs/cgroup is writable, with the memory and pids "
        "controllers.");
    hint.brief = "run it where /sys/fs/cgroup is writable";
    return hint;
  }
  hint.advice.emplace_back("In a scope of the user's own service manager there can be one:");
  hint.brief = "systemd-run --user --scope pinfold run …";
  hint.advice.emplace_back("  " + hint.brief);
  hint.advice.emplace_back("If the controllers are missing there, hand them on; then log out and in again:");
  hint.script = fmt::format(
      "{0}mkdir -p /etc/systemd/system/user@.service.d\n"
      "printf '[Service]\\nDelegate=cpu memory pids\\n' | "
      "{0}tee /etc/systemd/system/user@.service.d/pinfold.conf\n"
      "{0}systemctl daemon-reload\n",
      facts.as_root);
  return hint;
}

bool is_gap_of_cgroup(const Coverage& row) {
  return row.strength != Strength::kEnforced &&
         (row.step == step_name::kMemory || row.step == step_name::kProcessCount);
}

void comment(string& out, string_view text, string_view first, string_view next) {
  // Broken at blanks, so that it can be read on any terminal; commands in it stay whole.
  constexpr std::size_t kWidth = 74;
  string_view lead = first;
  while (!text.starts_with("  ") && text.size() > kWidth) {
    const std::size_t blank = text.rfind(' ', kWidth);
    if (blank == string_view::npos || blank == 0) break;
    out += fmt::format("{}{}\n", lead, text.substr(0, blank));
    text.remove_prefix(blank + 1);
    lead = next;
  }
  out += fmt::format("{}{}\n", lead, text);
}

}  // namespace

MissingMechanisms missing_mechanisms(const std::vector<Candidate>& choice, const std::vector<Coverage>& coverage) {
  MissingMechanisms needs;
  for (const Candidate& one : choice) {
    if (one.backend == "passthrough") return {};  // it enforces nothing, and the user chose it
    needs.namespaces = needs.namespaces || (one.backend == "native" && !one.usable);
    needs.landlock = needs.landlock || (one.backend == "landlock" && !one.usable);
  }
  for (const Coverage& row : coverage) {
    needs.landlock = needs.landlock || (row.step == step_name::kLandlock && row.strength == Strength::kAbsent);
    needs.cgroup = needs.cgroup || is_gap_of_cgroup(row);
  }
  return needs;
}

std::vector<Hint> hints(const HostFacts& facts, const MissingMechanisms& needs) {
  std::vector<Hint> out;
  if (needs.namespaces) namespaces(facts, out);
  if (needs.landlock) out.push_back(landlock(facts));
  if (needs.cgroup) out.push_back(cgroup(facts));
  return out;
}

string hint_script(const std::vector<Hint>& hints, const HostFacts& facts) {
  const string where = facts.name.empty() ? "this host" : facts.name;
  if (hints.empty())
    return fmt::format("# Nothing to fix: Pinfold has all that it needs from {}.\n", text::shown(where));
  string out = fmt::format("# Commands that help on {}.\n# Read them, then copy the ones you want into a shell.\n",
                           text::shown(where));
  for (std::size_t i = 0; i < hints.size(); ++i) {
    out += "\n";
    comment(out, hints[i].problem, fmt::format("# {}. ", i + 1), "#    ");
    for (const string& line : hints[i].advice) comment(out, line, "#    ", "#    ");
    out += hints[i].script;
  }
  return out;
}

std::vector<string> fixes(HostView& host, const std::vector<Candidate>& choice, const std::vector<Coverage>& coverage) {
  std::vector<string> out;
  const auto add = [&](const string& fix) {
    if (!fix.empty() && std::find(out.begin(), out.end(), fix) == out.end()) out.push_back(fix);
  };
  const std::vector<Coverage> refusing = gaps_that_refuse(coverage);
  MissingMechanisms needs = missing_mechanisms(choice, refusing);
  const auto lacks = [](const std::vector<Coverage>& rows, string_view step) {
    return std::any_of(rows.begin(), rows.end(),
                       [&](const Coverage& row) { return row.step == step && row.strength != Strength::kEnforced; });
  };
  // Only the limit on programs (exec) needs Landlock.
  const bool exec = lacks(refusing, step_name::kExec) && lacks(coverage, step_name::kLandlock);
  needs.landlock = needs.landlock || exec;
  if (needs.namespaces || needs.landlock || needs.cgroup)
    for (const Hint& hint : hints(gather_facts(host), needs)) add(hint.brief);
  if (out.empty())
    for (const Candidate& one : choice) add(one.fix);
  for (const Coverage& row : refusing)
    if (!is_gap_of_cgroup(row) && !(exec && row.step == step_name::kExec)) add(row.fix);
  return out;
}

string apparmor_profile(string_view program) {
  string path;
  for (const char c : program) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f)
      path += fmt::format("\\{:03o}", byte);
    else if (string_view("\\\"*?[]{}^,@").find(c) != string_view::npos)
      path += string("\\") + c;  // special in AppArmor's patterns, or to its quotes
    else
      path += c;
  }
  return fmt::format(
      "abi <abi/4.0>,\ninclude <tunables/global>\n\n"
      "profile pinfold \"{}\" flags=(unconfined) {{\n  userns,\n\n  include if exists <local/pinfold>\n}}\n",
      path);
}

}  // namespace pinfold::report
