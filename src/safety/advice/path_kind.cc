// path_kind.cc: the table of known paths, and the matching of a path.
// Invariant: an unknown path has no kind. Not here: parsing words.
#include "safety/advice/path_kind.h"

#include <array>
#include <utility>

#include "safety/advice/ascii.h"

namespace pinfold::advice {

namespace {

constexpr std::string_view kSystemTops =
    "/bin /sbin /lib /lib32 /lib64 /usr /usr/bin /usr/sbin /usr/lib /usr/lib64 /usr/share /usr/local /usr/local/bin "
    "/etc "
    "/boot /boot/efi /var /var/lib /var/lib/mysql /var/lib/postgresql /var/lib/docker /var/log /opt /dev /proc /sys "
    "/run "
    "/srv /mnt /media /System /Library /Applications /private /etc/ssh /etc/systemd /etc/apt /etc/init.d "
    "/var/spool /lib/modules /usr/include /etc/pam.d /etc/ssl "
    "c:/windows c:/windows/system32 c:/users c:/programdata %systemroot% %windir% %systemdrive% $env:systemroot "
    "$env:windir $env:systemdrive %programfiles% $env:programfiles hklm: hkcu: hklm:/software hklm:/system";
constexpr std::array kBelowSystemTops = {"/bin/",        "/sbin/",        "/lib/",     "/lib64/",
                                         "/usr/bin/",    "/usr/sbin/",    "/usr/lib/", "/etc/",
                                         "/boot/",       "/proc/",        "/sys/",     "/System/",
                                         "c:/windows/",  "%systemroot%/", "%windir%/", "$env:systemroot/",
                                         "$env:windir/", "hklm:/",        "hklm/",     "registry::hkey_local_machine/"};
constexpr std::array kDisks = {
    "/dev/sd",           "/dev/hd",      "/dev/vd",  "/dev/xvd", "/dev/nvme", "/dev/mmcblk", "/dev/disk",
    "/dev/rdisk",        "/dev/mapper/", "/dev/dm-", "/dev/md",  "/dev/mtd",  "/dev/ram",    "\\\\.\\physicaldrive",
    "//./physicaldrive", "/dev/block/"};

struct Part {
  std::string_view text;  // somewhere in the path
  PathKinds places;
};
constexpr Part kParts[] = {
    {".ssh/id_", kCredential},
    {".aws/credentials", kCredential},
    {"/.netrc", kCredential},
    {".pgpass", kCredential},
    {".git-credentials", kCredential},
    {".kube/config", kCredential},
    {".docker/config.json", kCredential},
    {".gnupg", kCredential},
    {"/.my.cnf", kCredential},
    {".vault-token", kCredential},
    {"gcloud/credentials", kCredential},
    {"application_default_credentials", kCredential},
    {".azure/accesstokens", kCredential},
    {".azure/msal_token", kCredential},
    {".config/gh/hosts", kCredential},
    {"/.npmrc", kCredential},
    {"/.pypirc", kCredential},
    {"/keychains/", kCredential},
    {"login.keychain", kCredential},
    {"com.apple.tcc", kCredential},
    {"backups.backupdb", kSystem},
    {"logins.json", kCredential},
    {"logins.db", kCredential},
    {"signons.sqlite", kCredential},
    {"/cookies.db", kCredential},
    {"chrome/default/cookies", kCredential},
    {"key4.db", kCredential},
    {"login data", kCredential},
    {"cookies.sqlite", kCredential},
    {"/etc/shadow", kCredential | kAccounts},
    {"/etc/gshadow", kCredential | kAccounts},
    {"/etc/master.passwd", kCredential | kAccounts},
    {"/etc/security/opasswd", kCredential},
    {"/etc/krb5.keytab", kCredential},
    {"/etc/ssh/ssh_host_", kCredential},
    {"serviceaccount/token", kCredential},
    {"/etc/passwd", kAccounts},
    {"/etc/group", kAccounts},
    {"/etc/sudoers", kAccounts},
    {"/etc/doas.conf", kAccounts},
    {"authorized_keys", kAccounts | kStartup},
    {"/etc/pam.d", kSetting | kGuard},
    {"/etc/ufw", kGuard},
    {"/etc/default/ufw", kGuard},
    {"/etc/audit", kGuard},
    {"/etc/audisp", kGuard},
    {"/etc/libaudit", kGuard},
    {"/etc/rsyslog", kGuard},
    {"/etc/syslog", kGuard},
    {"/etc/pf.conf", kGuard},
    {"/etc/iptables", kGuard},
    {"/etc/nftables", kGuard},
    {"/etc/hosts.allow", kGuard},
    {"/etc/hosts.deny", kGuard},
    {"/etc/security/", kSetting},
    {"/etc/hosts", kSetting},
    {"/etc/resolv.conf", kSetting},
    {"/etc/nsswitch.conf", kSetting},
    {"/etc/ssh/sshd_config", kSetting},
    {"/etc/selinux/", kSetting | kGuard},
    {"/etc/fstab", kSetting},
    {"drivers/etc/hosts", kSetting},
    {"/.bashrc", kStartup},
    {"/.bash_profile", kStartup},
    {"/.bash_login", kStartup},
    {"/.bash_logout", kStartup},
    {"/.bash_aliases", kStartup},
    {"/.profile", kStartup},
    {"/.zshrc", kStartup},
    {"/.zshenv", kStartup},
    {"/.zprofile", kStartup},
    {"/.zlogin", kStartup},
    {"/.cshrc", kStartup},
    {"/.tcshrc", kStartup},
    {"/.kshrc", kStartup},
    {"/.config/fish/config.fish", kStartup},
    {"/.xinitrc", kStartup},
    {"/.xprofile", kStartup},
    {"/.ssh/rc", kStartup},
    {"/.config/autostart", kStartup},
    {"/.config/systemd/user", kStartup},
    {"launchagents", kStartup},
    {"launchdaemons", kStartup},
    {"/etc/profile", kStartup},
    {"/etc/bash.bashrc", kStartup},
    {"/etc/bashrc", kStartup},
    {"/etc/zsh/", kStartup},
    {"/etc/environment", kStartup},
    {"/etc/rc.local", kStartup},
    {"/etc/rc.d", kStartup},
    {"/etc/init.d", kStartup},
    {"/etc/init/", kStartup},
    {"/etc/inittab", kStartup},
    {"/etc/cron", kStartup},
    {"/etc/anacrontab", kStartup},
    {"/var/spool/cron", kStartup},
    {"/var/spool/at", kStartup},
    {"/etc/systemd/system", kStartup},
    {"/usr/lib/systemd/system", kStartup},
    {"/lib/systemd/system", kStartup},
    {"/etc/ld.so.preload", kStartup},
    {"/etc/udev/rules.d", kStartup},
    {"/etc/xdg/autostart", kStartup},
    {"/etc/update-motd.d", kStartup},
    {"/etc/network/if-", kStartup},
    {"/usr/local/etc/rc.d", kStartup},
    {"/etc/apt/apt.conf.d", kStartup},
    {"/etc/networkmanager/dispatcher.d", kStartup},
    {"/.rtorrent.rc", kStartup},
    {"/etc/xinetd.d", kStartup},
    {"/etc/emond.d", kStartup},
    {"/etc/periodic", kStartup},
    {"/library/startupitems", kStartup},
    {".git/hooks/", kStartup},
    {"currentversion/run", kStartup},
    {"start menu/programs/startup", kStartup},
    {"microsoft.powershell_profile", kStartup},
    {"/var/log", kLog},
    {"/var/adm", kLog},
    {"/var/audit", kLog},
    {"_history", kLog},
    {"/run/utmp", kLog},
    {"/var/run/utmp", kLog},
    {"consolehost_history", kLog},
    {"winevt/logs", kLog},
    {"docker.sock", kEngine},
    {"containerd.sock", kEngine},
    {"crio.sock", kEngine},
    {"podman.sock", kEngine},
    {"/proc/sys/kernel/", kKernel},
    {"/proc/sys/fs/", kKernel},
    {"/proc/sysrq-trigger", kKernel},
    {"/selinux/enforce", kKernel},
    {"/sys/kernel/security", kKernel},
    {"/sys/kernel/debug", kKernel},
    {"/sys/kernel/uevent_helper", kKernel},
    {"/sys/fs/cgroup", kKernel},
    {"/sys/firmware/", kKernel},
    {"release_agent", kKernel},
    {"/dev/mem", kMemory},
    {"/dev/kmem", kMemory},
    {"/proc/kcore", kMemory},
    {"/environ", 0},
    {"config/sam", kCredential},
    {"config/system", 0},
    {"config/security", kCredential},
    {"ntds.dit", kCredential},
    {"microsoft/credentials", kCredential},
    {"microsoft/protect", kCredential},
    {"lsass", kMemory},
};

constexpr std::pair<std::string_view, PathKinds> kNames[] = {
    {"root", kRoot},
    {"home", kHome},
    {"system", kSystem},
    {"below-system", kBelowSystem},
    {"disk", kDisk},
    {"log", kLog},
    {"credential", kCredential},
    {"startup", kStartup},
    {"accounts", kAccounts},
    {"unset", kUnset},
    {"here", kHere},
    {"parent", kParent},
    {"kernel", kKernel},
    {"temp", kTemp},
    {"engine", kEngine},
    {"network", kNetwork},
    {"memory", kMemory},
    {"setting", kSetting},
    {"guard", kGuard},
    {"core", kCore},
    {"private", kPrivate},
    {"repository", kRepository},
};

bool starts_with_any(std::string_view path, const auto& list) {
  for (const std::string_view each : list)
    if (path.starts_with(each)) return true;
  return false;
}

// "/etc/*", "~/.??*", "/{*,.*}", "/*/*" mean all of it.
std::string_view without_all(std::string_view path) {
  if (path.ends_with('/') && path.size() > 2) path.remove_suffix(1);
  for (int parts = 0; parts < 3; ++parts) {
    const auto slash = path.rfind('/');
    if (slash == std::string_view::npos || slash + 1 == path.size()) break;
    const std::string_view last = path.substr(slash + 1);
    if (last.find_first_of("*?[") == std::string_view::npos || last.starts_with("[0-9")) break;
    std::size_t at = 0;
    while (at < last.size() && (last[at] == '.' || last[at] == '*' || last[at] == '?')) ++at;
    const auto close = at < last.size() && last[at] == '[' ? last.find(']', at) : std::string_view::npos;
    if (at < last.size() && (close == std::string_view::npos || last.find_first_not_of(".*?", close + 1) != last.npos))
      break;
    if (slash == 0) return "/";
    path = path.substr(0, slash);
  }
  return path;
}

PathKinds tops(std::string_view path) {
  if (path == "/" || path == "/*" || path == "//" || path == "/.*") return kRoot;
  if (is_letter(path[0]) && (path.substr(1) == ":" || path.substr(1) == ":/")) return kRoot;
  if (path == "~" || path == "$HOME" || path == "/root" || path == "/home" || path == "/Users" ||
      path == "%userprofile%" || path == "$env:userprofile" || path == "%homepath%" || path == "$home")
    return kHome;
  for (const std::string_view above : {"/home/", "/Users/", "c:/users/"})
    if (path.starts_with(above) && path.find('/', above.size()) == std::string_view::npos) return kHome;
  if (path.size() > 1 && path[0] == '~' && path.find('/') == std::string_view::npos) return kHome;
  if (listed(kSystemTops, path) || path == "c:/program files" || path == "c:/program files (x86)") return kSystem;
  return 0;
}

bool sounds_private(std::string_view name) {
  for (const std::string_view end : {".pem", ".key", ".p12", ".pfx", ".kdbx", ".jks", ".ppk"})
    if (name.size() > end.size() && name.ends_with(end)) return true;
  if (name == ".env" || name.starts_with(".env."))
    return !has_any_case(name, "example") && !has_any_case(name, "sample") && !has_any_case(name, "template");
  for (const std::string_view part : {"secret", "password", "passwd", "credential", "token", "private_key", "id_rsa"})
    if (has_any_case(name, part)) return true;
  return false;
}

// Without the files that installers and images replace themselves.
bool is_core(std::string_view path) {
  for (const std::string_view top : {"/boot/", "/etc/security/", "/etc/ssh/", "/etc/ssl/", "/etc/pam.d/"})
    if (path.starts_with(top)) return path.find("/certs/") == std::string_view::npos;
  if (!path.starts_with("/etc/") || path.find('/', 5) != std::string_view::npos) return false;
  return !listed("localtime machine-id motd resolv.conf hostname issue timezone", path.substr(5));
}

// A whole directory of keys.
bool holds_keys(std::string_view path) {
  for (const std::string_view end :
       {"/.ssh", "/.aws", "/.gnupg", "/.kube", "/.azure", "/.config/gcloud", "/.password-store"})
    if (path.ends_with(end)) return true;
  return false;
}

bool only_a_variable(std::string_view path) {
  if (path.size() < 2 || path[0] != '$') return false;
  if (path == "$()") return true;
  for (const char c : path.substr(1))
    if (!is_name(c)) return false;
  return !listed("$PWD $OLDPWD $TMPDIR $TMP $TEMP $HOME $home", path);
}

}  // namespace

std::string_view base_name(std::string_view path) {
  const auto slash = path.find_last_of("/\\");
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string tidy_path(std::string_view path) {
  const bool absolute = path.starts_with('/');
  std::string out;
  for (std::size_t at = 0; at < path.size();) {
    const auto end = std::min(path.find('/', at), path.size());
    const std::string_view part = path.substr(at, end - at);
    at = end + 1;
    if (part.empty() || (part == "." && !(out.empty() && !absolute))) continue;
    const auto above = out.rfind('/');
    if (part == ".." && absolute) {
      out.resize(above == std::string::npos ? 0 : above);
    } else if (part == ".." && above != std::string::npos && !out.ends_with("..")) {
      out.resize(above);
    } else {
      if (absolute || !out.empty()) out += '/';
      out += part;
    }
  }
  return out.empty() && absolute ? "/" : out;
}

PathKinds path_kinds_of(std::string_view path) {
  if (path.empty() || path.size() > 1024) return 0;
  std::string windows;
  if (path.find('\\') != std::string_view::npos || (path.size() > 1 && path[1] == ':') || path[0] == '%' ||
      path.starts_with("$env:")) {
    windows = lower(path);
    for (char& c : windows)
      if (c == '\\') c = '/';
    if (!windows.starts_with("//")) windows = tidy_path(windows);
    path = windows;
  }
  PathKinds out = tops(path) | tops(without_all(path));
  if (starts_with_any(path, kBelowSystemTops)) out |= kBelowSystem;
  if (path.starts_with("/dev/")) {
    if (starts_with_any(path, kDisks)) out |= kDisk;
    if (path.starts_with("/dev/tcp") || path.starts_with("/dev/udp")) out |= kNetwork;
    if (path.starts_with("/dev/shm")) out |= kTemp;
  }
  if (path.starts_with("//./physicaldrive")) out |= kDisk;
  if (is_core(path)) out |= kCore;
  if (sounds_private(base_name(path))) out |= kPrivate;
  if (path.starts_with("/tmp/") || path.starts_with("/var/tmp/") || path.starts_with("/private/tmp/") ||
      path == "/tmp" || path.starts_with("$TMPDIR"))
    out |= kTemp;
  if (path == "." || path == "*" || path == "./*" || path == ".*" || path == "./.*" || path == "*.*") out |= kHere;
  if (path == ".." || path.starts_with("../..") || path == "../*") out |= kParent;
  if (path == "/{}" || (path.starts_with("/$") && only_a_variable(path.substr(1)))) out |= kUnset;
  const std::string_view whole = without_all(path);
  if (only_a_variable(whole) && whole.size() < path.size()) out |= kUnset;
  if (base_name(path) == ".git" || base_name(whole) == ".git") out |= kRepository;
  if (path.find_first_of("./_") == std::string_view::npos && path.find(' ') == std::string_view::npos) return out;
  for (const Part& part : kParts)
    if (has_any_case(path, part.text)) out |= part.places;
  if (path.starts_with("/proc/") && (path.ends_with("/environ") || path.ends_with("/mem"))) out |= kMemory;
  if (holds_keys(path)) out |= kCredential;
  if (path.ends_with(".pub")) out &= ~kCredential;
  if (path.ends_with(".bak") || path.ends_with(".example")) out &= ~(kCredential | kStartup);
  return out;
}

PathKinds path_kinds_of(const Word& word, std::string_view directory) {
  std::string_view text = word.text;
  std::string joined;
  // "$X/" is worth more than its tidy form "$X".
  PathKinds out = 0;
  if (word.unknown && text.size() > 2 && text[0] == '$' && text.ends_with('/') &&
      only_a_variable(text.substr(0, text.size() - 1)))
    out |= kUnset;
  if (!directory.empty() && !text.empty() && text[0] != '/' && text[0] != '~' && text[0] != '$' && text[0] != '-') {
    joined = std::string(directory) + "/" + std::string(text);
    text = joined;
  }
  if (text.find('\\') == std::string_view::npos && text.find('/') != std::string_view::npos) {
    joined = tidy_path(text);
    text = joined;
  }
  return out | path_kinds_of(text);
}

std::optional<PathKinds> path_kind_named(std::string_view name) {
  for (const auto& [known, place] : kNames)
    if (known == name) return place;
  return std::nullopt;
}

}  // namespace pinfold::advice
