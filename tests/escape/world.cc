// world.cc: makes and removes the scratch world.
// Not here: the canary's own side (canary.cc).
#include "world.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <sstream>

namespace escape {
namespace {

// The home of a user with secrets and a project. $SECRET marks text that must not be seen.
constexpr const char* kHomeScript = R"sh(
umask 022
mkdir -p "$HOME" && cd "$HOME"
put() { mkdir -p "$(dirname "$1")"; echo "$SECRET-$(basename "$1")" > "$1"; }
for file in .ssh/id_rsa .ssh/authorized_keys .aws/credentials .config/app/token .config/gh/hosts.yml .netrc .npmrc \
    .git-credentials .docker/config.json .kube/config .gnupg/private-keys-v1.d/key .cargo/credentials.toml \
    .cargo/bin/tool .local/share/keyrings/login.keyring .local/bin/tool .mozilla/firefox/p.default/cookies.sqlite \
    .config/google-chrome/Default/Cookies .bash_history .pgpass .cache/other/token documents/letter.txt; do
  put "$file"
done
chmod 700 .ssh .gnupg
echo 'alias canary=1' > .bashrc
echo 'export CANARY=1' > .profile
mkdir -p .config/systemd/user .config/autostart .local/state ws && cd ws
git init -q -b main --template= && mkdir -p .git/hooks .git/info
git config user.name canary && git config user.email canary@localhost && git config gc.auto 0
mkdir -p sub/.vscode .vscode src
echo hello > readme.txt
echo 'int main() {}' > src/main.cc
echo '{"here": "before"}' > .vscode/settings.json
echo '{"here": "before"}' > sub/.vscode/tasks.json
printf '#!/bin/sh\ntouch "$HOME/PWNED"\n' > evil.sh && chmod 755 evil.sh
git add readme.txt src && git commit -q -m first
put .env
)sh";

// Makes `to` a copy of `from`; of a directory without its entries.
void copy_one(const std::string& from, const std::string& to) {
  namespace fs = std::filesystem;
  struct stat info {};
  if (::lstat(from.c_str(), &info) < 0) give_up("lstat " + from);
  if (S_ISLNK(info.st_mode)) {
    fs::copy_symlink(from, to);
  } else if (S_ISDIR(info.st_mode)) {
    fs::create_directory(to);
  } else {
    fs::copy_file(from, to);
  }
  if (::lchown(to.c_str(), info.st_uid, info.st_gid) < 0) give_up("lchown " + to);
  if (!S_ISLNK(info.st_mode)) ::chmod(to.c_str(), info.st_mode & 07777);
  timespec times[2] = {info.st_atim, info.st_mtim};
  ::utimensat(AT_FDCWD, to.c_str(), times, AT_SYMLINK_NOFOLLOW);
}

void spawn_failed(const std::string& what) { give_up("starting the canary: " + what); }

}  // namespace

Canary::Canary(const Programs& programs, const User& user, const std::string& secret, const std::string& directory,
               const std::string& held_file) {
  int in[2];
  int out[2];
  if (::pipe2(in, O_CLOEXEC) < 0 || ::pipe2(out, O_CLOEXEC) < 0) spawn_failed("pipe2");
  pid_ = ::fork();
  if (pid_ < 0) spawn_failed("fork");
  if (pid_ == 0) {
    ::dup2(in[0], 0);
    ::dup2(out[1], 1);
    if (::getuid() != user.uid &&
        (::setresgid(user.gid, user.gid, user.gid) < 0 || ::setresuid(user.uid, user.uid, user.uid) < 0)) {
      ::_exit(1);
    }
    std::string variable = "CANARY_TOKEN=" + secret + "-environ";
    std::string argument = secret + "-argument";
    const char* argv[] = {programs.canary.c_str(), secret.c_str(),   directory.c_str(),
                          held_file.c_str(),       argument.c_str(), nullptr};
    const char* env[] = {variable.c_str(), nullptr};
    ::execve(argv[0], const_cast<char**>(argv), const_cast<char**>(env));
    ::_exit(1);
  }
  ::close(in[0]);
  ::close(out[1]);
  stdin_ = in[1];
  stdout_ = out[0];
  std::string line;
  char byte = 0;
  while (::read(stdout_, &byte, 1) == 1 && byte != '\n') line += byte;
  std::istringstream words(line);
  std::string word;
  words >> word;
  if (word != "ready") spawn_failed("it said `" + line + "`");
  while (words >> word) values_[word.substr(0, word.find('='))] = word.substr(word.find('=') + 1);
  ::fcntl(stdout_, F_SETFL, O_NONBLOCK);
}

Canary::~Canary() {
  ::close(stdin_);
  ::kill(pid_, SIGCONT);
  // It leaves by itself, and takes its key and its shared memory along; a killed one is reaped.
  constexpr int kRounds = 6000;  // a minute
  for (int i = 0; i < kRounds; ++i) {
    if (::waitpid(pid_, nullptr, WNOHANG) != 0) break;
    ::usleep(10000);
    if (i == kRounds - 2) ::kill(pid_, SIGKILL);
  }
  ::close(stdout_);
}

std::string Canary::harm() const {
  std::string stat = read_file("/proc/" + std::to_string(pid_) + "/stat");
  std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return "the canary process is gone";
  char state = stat[name_end + 2];
  if (state == 'Z' || state == 'X') return "the canary process was killed";
  if (state == 'T' || state == 't') return "the canary process was stopped";
  char bytes[10] = {};
  iovec local{bytes, 9};
  iovec remote{reinterpret_cast<void*>(std::stoul(values_.at("scratch"), nullptr, 16)), 9};
  if (::process_vm_readv(pid_, &local, 1, &remote, 1, 0) != 9) return "the canary's memory cannot be read";
  if (std::strcmp(bytes, "untouched") != 0) return "the canary's memory was changed";
  return "";
}

std::string Canary::hits() {
  std::string seen;
  if (harm().empty() && sync(seen)) return one_line(seen, 80);
  return read_hits();  // it is stopped or gone, and tells no more
}

// Reads until the canary has reported all that reached it before this call.
bool Canary::sync(std::string& seen) {
  const std::string end = "all reported\n";
  if (::write(stdin_, "?", 1) != 1) return false;
  auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!seen.ends_with(end)) {
    pollfd waiting{stdout_, POLLIN, 0};
    if (std::chrono::steady_clock::now() > until) give_up("the canary has not answered for 60 s");
    if (::poll(&waiting, 1, 1000) <= 0) continue;
    char buffer[4096];
    ssize_t got = ::read(stdout_, buffer, sizeof buffer);
    if (got == 0) return false;
    if (got > 0) seen.append(buffer, static_cast<std::size_t>(got));
  }
  seen.resize(seen.size() - end.size());
  return true;
}

std::string Canary::read_hits() {
  std::string seen;
  char buffer[4096];
  ssize_t got = 0;
  while ((got = ::read(stdout_, buffer, sizeof buffer)) > 0) seen.append(buffer, static_cast<std::size_t>(got));
  return one_line(seen, 80);
}

World::World(const Programs& programs, const User& user, const std::string& under, Backend backend)
    : programs_(programs), user_(user), backend_(std::move(backend)), secret_("canary-" + hex_nonce()) {
  std::string pattern = under + "/pinfold-escape-XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr) give_up("mkdtemp " + pattern);
  root_ = pattern;
  base_ = root_ + "/w";
  home_ = base_ + "/home";
  workspace_ = home_ + "/ws";
  ::chmod(root_.c_str(), 0755);
  namespace fs = std::filesystem;
  std::string made = root_ + "/made";
  for (const std::string& directory : {made, root_ + "/reports"}) {
    fs::create_directory(directory);
    if (::chown(directory.c_str(), user.uid, user.gid) < 0) give_up("chown");
  }
  fs::create_directory(base_);
  for (const char* name : {"/run", "/other", "/other/shared", "/bin", "/mnt", "/mnt2", "/locked", "/open"}) {
    fs::create_directory(base_ + name);
  }
  for (const char* name : {"/run", "/mnt", "/mnt2", "/open"}) {
    if (::chown((base_ + name).c_str(), user.uid, user.gid) < 0) give_up("chown");
  }
  ::chmod((base_ + "/locked").c_str(), 0700);
  // What belongs to another user but can be written by this user, too.
  write_file(base_ + "/other/notes.txt", "");
  ::chmod((base_ + "/other/notes.txt").c_str(), 0666);
  ::chmod((base_ + "/other/shared").c_str(), 0777);
  // A checkout below /root is out of an ordinary user's reach.
  programs_.pinfold = root_ + "/pinfold";
  fs::copy_file(programs.pinfold, programs_.pinfold);
  ::chmod(programs_.pinfold.c_str(), 0755);
  fs::copy_file(programs.probe, base_ + "/bin/probe");
  fs::copy_file(programs.canary, base_ + "/bin/canary");
  programs_.canary = base_ + "/bin/canary";
  // The canary runs from a file that its user could overwrite.
  if (::chown(programs_.canary.c_str(), user.uid, user.gid) < 0) give_up("chown");
  fs::copy_file(programs.privileged, base_ + "/bin/setuid");
  fs::copy_file(programs.privileged, base_ + "/bin/capable");
  if (::geteuid() == 0) {
    ::chmod((base_ + "/bin/setuid").c_str(), 04755);
    vfs_cap_data data{};
    data.magic_etc = VFS_CAP_REVISION_2 | VFS_CAP_FLAGS_EFFECTIVE;
    data.data[0].permitted = 1U << CAP_NET_RAW;
    if (::setxattr((base_ + "/bin/capable").c_str(), "security.capability", &data, sizeof data, 0) < 0) {
      give_up("setting a file capability");
    }
  }
  must_run_shell(kHomeScript, user_, made,
                 {"PATH=/usr/bin:/bin", "HOME=" + made + "/home", "SECRET=" + secret_, "GIT_CONFIG_NOSYSTEM=1"});
  fs::copy_file(programs.probe, made + "/home/ws/probe");
  if (::chown((made + "/home/ws/probe").c_str(), user.uid, user.gid) < 0) give_up("chown");
  made_ = look_at_tree(made + "/home");
  make_disk();
}

// A raw disk of the test's own: the machine's may be out of reach even for root.
void World::make_disk() {
  std::string image = root_ + "/disk";
  write_file(image, secret_ + "-disk\n" + std::string(1 << 20, '\0'));
  Command command;
  command.argv = {"/usr/sbin/losetup", "--find", "--show", image};
  Ran ran = run(command);
  if (ran.exit_code != 0) give_up("losetup: " + ran.err);
  disk_ = one_line(ran.out, 40);
}

World::~World() {
  canary_.reset();
  if (!disk_.empty()) {
    Command command;
    command.argv = {"/usr/sbin/losetup", "--detach", disk_};
    try {
      run(command);
    } catch (const std::exception&) {
      std::fprintf(stderr, "cannot detach %s\n", disk_.c_str());
    }
  }
  std::error_code ignored;
  std::filesystem::remove_all(root_, ignored);
}

// Only changed entries: a whole copy takes longer than most attempts.
void World::repair_home() {
  namespace fs = std::filesystem;
  std::error_code ignored;
  for (const char* own : {"/.cache/pinfold", "/.local/state/pinfold"}) fs::remove_all(home_ + own, ignored);
  if (!exists(home_)) copy_one(root_ + "/made/home", home_);
  Texts changes = differences(made_, look_at_tree(home_), {});
  for (const std::string& change : changes) {
    std::string path = home_ + "/" + change.substr(1);
    struct stat info {};
    bool kept = change[0] == '~' && ::lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
    if (!kept) fs::remove_all(path, ignored);
  }
  // In the order of a map: a directory comes before its entries.
  for (const auto& [path, what] : made_) {
    std::string to = home_ + "/" + path;
    bool changed = std::find(changes.begin(), changes.end(), "~" + path) != changes.end();
    if (!exists(to) || changed) copy_one(root_ + "/made/home/" + path, to);
  }
  if (look_at_tree(home_) != made_) give_up("the home cannot be repaired");
}

void World::renew() {
  repair_home();
  write_file(base_ + "/other/notes.txt", secret_ + "-notes\n");
  std::filesystem::remove(base_ + "/other/shared/planted");
  if (canary_ && canary_->harm().empty()) return;
  canary_.reset();
  canary_ = std::make_unique<Canary>(programs_, user_, secret_, base_ + "/run", home_ + "/.ssh/id_rsa");
}

Texts World::environment() const {
  return {"PATH=/usr/local/bin:/usr/bin:/bin",
          "HOME=" + home_,
          "USER=canary",
          "LANG=C.UTF-8",
          "TERM=xterm",
          "CANARY_TOKEN=" + secret_ + "-environ",
          "AWS_SECRET_ACCESS_KEY=" + secret_ + "-aws",
          "GITHUB_TOKEN=" + secret_ + "-github",
          "SSH_AUTH_SOCK=" + base_ + "/run/stream"};
}

std::map<std::string, std::string> World::values() const {
  std::map<std::string, std::string> values = canary_->values();
  values["home"] = home_;
  values["ws"] = workspace_;
  values["base"] = base_;
  values["probe"] = workspace_ + "/probe";
  values["tool"] = base_ + "/bin/probe";
  values["secret"] = secret_;
  values["canary"] = std::to_string(canary_->pid());
  values["nonce"] = secret_.substr(7);
  values["disk"] = disk_;
  for (const char* kind : {"pid", "mnt"}) {
    values[std::string(kind) + "-ns"] = std::filesystem::read_symlink(std::string("/proc/self/ns/") + kind).string();
  }
  return values;
}

Command World::command(Texts argv) const {
  Command command;
  command.argv = std::move(argv);
  command.env = environment();
  command.cwd = workspace_;
  command.as = user_;
  command.scratch_mount = base_ + "/mnt";
  return command;
}

}  // namespace escape
