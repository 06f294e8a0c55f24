// host_facts.cc: reads the files that distributions, kernels and container engines leave for that.
#include "report/host_facts.h"

#include <array>
#include <charconv>
#include <string_view>

namespace pinfold::report {

namespace {

using std::string;
using std::string_view;

constexpr std::size_t kLongest = 1 << 20;

string read(HostView& host, const string& path) { return host.read_file(path, kLongest).value_or(string()); }

string_view first_line(string_view text) { return text.substr(0, text.find('\n')); }

// Calls `take` with each piece between separators.
template <typename Take>
void split(string_view text, char separator, Take take) {
  while (!text.empty()) {
    const std::size_t end = text.find(separator);
    take(text.substr(0, end));
    if (end == string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

// One value of os-release(5), without its quotes.
string release_value(string_view text, string_view key) {
  string found;
  split(text, '\n', [&](string_view line) {
    if (!line.starts_with(key) || line.substr(key.size(), 1) != "=") return;
    line.remove_prefix(key.size() + 1);
    if (line.size() >= 2 && (line[0] == '"' || line[0] == '\'') && line.back() == line[0])
      line = line.substr(1, line.size() - 2);
    found = line;
  });
  return found;
}

Distribution distribution_of(string_view id) {
  struct Name {
    string_view id;
    Distribution distribution;
  };
  static constexpr std::array kNames = {
      Name{"debian", Distribution::kDebian},      Name{"ubuntu", Distribution::kDebian},
      Name{"fedora", Distribution::kFedora},      Name{"rhel", Distribution::kFedora},
      Name{"centos", Distribution::kFedora},      Name{"arch", Distribution::kArch},
      Name{"suse", Distribution::kSuse},          Name{"opensuse", Distribution::kSuse},
      Name{"opensuse-leap", Distribution::kSuse}, Name{"opensuse-tumbleweed", Distribution::kSuse},
      Name{"sles", Distribution::kSuse},          Name{"alpine", Distribution::kAlpine},
  };
  for (const Name& name : kNames)
    if (name.id == id) return name.distribution;
  return Distribution::kOther;
}

void read_release(HostView& host, HostFacts& facts) {
  string text = read(host, "/etc/os-release");
  if (text.empty()) text = read(host, "/usr/lib/os-release");
  facts.name = release_value(text, "PRETTY_NAME");
  facts.distribution = distribution_of(release_value(text, "ID"));
  split(release_value(text, "ID_LIKE"), ' ', [&](string_view like) {
    if (facts.distribution == Distribution::kOther) facts.distribution = distribution_of(like);
  });
}

template <typename Number>
std::optional<Number> number(string_view text) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end == text.data()) return std::nullopt;
  return value;
}

// "6.8.0-35-generic".
std::optional<KernelVersion> kernel_version(string_view release) {
  const std::size_t dot = release.find('.');
  if (dot == string_view::npos) return std::nullopt;
  const auto major = number<unsigned>(release.substr(0, dot));
  const auto minor = number<unsigned>(release.substr(dot + 1));
  if (!major || !minor) return std::nullopt;
  return KernelVersion{*major, *minor};
}

bool is_there(HostView& host, const string& path) { return host.kind(path) != HostKind::kMissing; }

// Field 5 of each line is the place of a mount. binfmt_misc is mounted there on most hosts and hides nothing.
bool covers_proc(string_view mounts) {
  bool covered = false;
  split(mounts, '\n', [&](string_view line) {
    for (int field = 0; field < 4 && !line.empty(); ++field)
      line.remove_prefix(std::min(line.size(), line.find(' ') == string_view::npos ? line.size() : line.find(' ') + 1));
    const string_view place = line.substr(0, line.find(' '));
    covered = covered || (place.starts_with("/proc/") && !place.starts_with("/proc/sys/fs/binfmt_misc"));
  });
  return covered;
}

Container find_container(HostView& host, bool masked_proc) {
  if (host.variable("KUBERNETES_SERVICE_HOST") || is_there(host, "/run/secrets/kubernetes.io"))
    return Container::kKubernetes;
  if (is_there(host, "/run/.containerenv")) return Container::kPodman;
  if (is_there(host, "/.dockerenv")) return Container::kDocker;
  if (host.variable("container") || is_there(host, "/run/systemd/container")) return Container::kUnknown;
  // Only container runtimes mount over parts of /proc.
  return masked_proc ? Container::kUnknown : Container::kNone;
}

string privilege(HostView& host) {
  if (host.identity().uid == 0) return "";
  for (const char* directory : {"/usr/bin/", "/bin/", "/usr/local/bin/"})
    for (const char* name : {"sudo", "doas"})
      if (host.executable(string(directory) + name)) return string(name) + " ";
  return "sudo ";
}

}  // namespace

HostFacts gather_facts(HostView& host) {
  HostFacts facts;
  const auto setting = [&](const string& path) {
    return number<std::uint64_t>(first_line(read(host, "/proc/sys/" + path)));
  };
  read_release(host, facts);
  facts.program = host.read_link("/proc/self/exe").value_or(string());
  facts.home = host.identity().home;
  facts.as_root = privilege(host);
  facts.kernel = kernel_version(first_line(read(host, "/proc/sys/kernel/osrelease")));
  split(first_line(read(host, "/sys/kernel/security/lsm")), ',',
        [&](string_view name) { facts.security_modules.emplace_back(name); });
  facts.apparmor_restricts_namespaces = setting("kernel/apparmor_restrict_unprivileged_userns");
  facts.unprivileged_namespaces = setting("kernel/unprivileged_userns_clone");
  facts.max_user_namespaces = setting("user/max_user_namespaces");
  facts.masked_proc = covers_proc(read(host, "/proc/self/mountinfo"));
  facts.container = find_container(host, facts.masked_proc);
  for (const char* directory : {"/usr/bin/", "/bin/", "/usr/local/bin/"})
    facts.has_bubblewrap = facts.has_bubblewrap || host.executable(string(directory) + "bwrap");
  facts.has_bubblewrap_profile =
      is_there(host, "/etc/apparmor.d/bwrap") || is_there(host, "/etc/apparmor.d/bwrap-userns-restrict");
  facts.has_systemd = is_there(host, "/run/systemd/system");
  return facts;
}

}  // namespace pinfold::report
