// web_program.cc: forks and executes pinfold-web, and reads the link that it prints.
#include "cli/web_program.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <climits>
#include <csignal>

#include <fmt/format.h>

#include "base/text.h"
#include "base/try.h"
#include "sys/call.h"
#include "sys/close_range.h"
#include "sys/files.h"

namespace pinfold::cli {
namespace {

constexpr const char* kProgram = "pinfold-web";
constexpr int kEndPatience = 2000;  // milliseconds until the program must have ended
constexpr std::size_t kMaxAnswer = 4096;
constexpr int kNotify = 3;  // the descriptor of its socket

[[noreturn]] void exec_web_program(const char* program, char* const* argv, int socket_end) {
  ::setsid();  // signals of the terminal are for the command alone
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::dup2(socket_end, kNotify);
  if (socket_end == kNotify) ::fcntl(kNotify, F_SETFD, 0);
  const int dev_null = ::open("/dev/null", O_RDWR);
  for (int fd = 0; fd < 3; ++fd) ::dup2(dev_null, fd);
  sys::close_range(kNotify + 1U, ~0U);
  ::execv(program, argv);
  ::_exit(127);
}

}  // namespace

Result<std::string> find_web_program() {
  char own[PATH_MAX] = {};
  const ssize_t size = ::readlink("/proc/self/exe", own, sizeof own - 1);
  const std::string path(own, size > 0 ? static_cast<std::size_t>(size) : 0);
  const std::string folder = path.substr(0, path.rfind('/'));
  for (const char* where : {"/", "/../libexec/pinfold/"})
    if (const std::string found = folder + where + kProgram; ::access(found.c_str(), X_OK) == 0) return found;
  return fail(ErrorKind::kUnavailable,
              fmt::format("{0} is not installed: there is neither {1}/{0} nor {1}/../libexec/pinfold/{0}", kProgram,
                          text::shown(folder)),
              "install all of Pinfold's programs, or answer in the terminal: pinfold run --ask terminal -- COMMAND");
}

Result<WebProgram> WebProgram::start(const std::string& sandbox) { return launch({"--for", sandbox}); }

Result<WebProgram> WebProgram::start_review(const std::string& line) {
  PF_TRY(out, launch({"--review", "yes"}));
  PF_CHECK(sys::write_all(out.socket_.raw(), line, "web"), "starting the web page");
  PF_CHECK(out.await_link(), "starting the web page");
  return out;
}

Result<WebProgram> WebProgram::launch(const std::vector<std::string>& flags) {
  PF_TRY(program, find_web_program());
  int ends[2];
  PF_TRY(made,
         sys::call("socketpair", "web", [&] { return ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends); }));
  static_cast<void>(made);
  auto own_end = sys::Fd::adopt(ends[0]);
  auto child_end = sys::Fd::adopt(ends[1]);
  std::vector<std::string> words = {kProgram, "--notify", std::to_string(kNotify)};
  words.insert(words.end(), flags.begin(), flags.end());
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  PF_TRY(process, sys::call("fork", "web", [] { return ::fork(); }));
  if (process == 0) exec_web_program(program.c_str(), argv.data(), child_end.raw());
  WebProgram out(process, std::move(own_end));
  child_end.reset();
  return out;
}

Result<std::string> WebProgram::await_decision() {
  std::string text;
  while (text.find('\n') == std::string::npos) {
    char buffer[64];
    PF_TRY(size, sys::call("read", "web", [&] { return ::read(socket_.raw(), buffer, sizeof buffer); }));
    if (size == 0) return fail(ErrorKind::kRefused, "the page ended without a decision");
    text.append(buffer, static_cast<std::size_t>(size));
  }
  return text.substr(0, text.find('\n'));
}

Result<void> WebProgram::await_link() {
  for (pollfd state{socket_.raw(), POLLIN, 0};;) {
    const int ready = ::poll(&state, 1, static_cast<int>(kLinkTimeout.count()));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) return fail(ErrorKind::kSystem, "it did not print its link within 30 s");
    PF_TRY(complete, read_link());
    if (complete) return {};
  }
}

Result<bool> WebProgram::read_link() {
  char buffer[512];
  PF_TRY(size, sys::call("read", "web", [&] { return ::read(socket_.raw(), buffer, sizeof buffer); }));
  received_.append(buffer, static_cast<std::size_t>(size));
  const std::size_t end = received_.find('\n');
  if (end == std::string::npos && size > 0 && received_.size() < kMaxAnswer) return false;
  std::string line = received_.substr(0, end);
  if (line.starts_with("! ")) return fail(ErrorKind::kSystem, line.substr(2));
  if (!line.starts_with("http://")) return fail(ErrorKind::kSystem, "it ended without printing its link");
  link_ = std::move(line);
  return true;
}

WebProgram::~WebProgram() {
  if (process_ < 0) return;
  socket_.reset();
  // It ends by itself when the browser has the response to the decision; it has nothing to clean up.
  const auto page = sys::Fd::adopt(static_cast<int>(::syscall(SYS_pidfd_open, process_, 0)));
  pollfd state{page.raw(), POLLIN, 0};
  if (page.is_open()) static_cast<void>(sys::call("poll", "web", [&] { return ::poll(&state, 1, kEndPatience); }));
  ::kill(process_, SIGKILL);
  static_cast<void>(sys::call("waitpid", "web", [this] { return ::waitpid(process_, nullptr, 0); }));
}

}  // namespace pinfold::cli
