// clipboard_tool.cc: the table of programs, and a process with a sealed memory file as stdin and a pipe as stdout.
// Invariant: no data of the plugin is an argument; stderr is /dev/null.
// Not here: the protocol towards the plugin (clipboard.cc).
#include "plugin/clipboard_tool.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>

#include <fmt/format.h>

#include "base/paths.h"
#include "base/text.h"
#include "base/try.h"
#include "plugin/runtime.h"
#include "sys/call.h"
#include "sys/files.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX says that no header need have it

namespace pinfold::plugin {
namespace {

struct ToolPair {
  const char* display;  // the variable that names its display; null: none needed
  std::vector<std::string> copy;
  std::vector<std::string> paste;
};

const std::vector<ToolPair>& tool_pairs() {
  static const std::vector<ToolPair> all = {
      {"WAYLAND_DISPLAY", {"wl-copy"}, {"wl-paste", "--no-newline"}},
      {"DISPLAY", {"xclip", "-selection", "clipboard", "-in"}, {"xclip", "-selection", "clipboard", "-out"}},
      {"DISPLAY", {"xsel", "--clipboard", "--input"}, {"xsel", "--clipboard", "--output"}},
      {nullptr, {"pbcopy"}, {"pbpaste"}},
  };
  return all;
}

bool is_set(const char* name, HostView& host) { return !host.variable(name).value_or("").empty(); }

// The canonical path of a program that no sandboxed process can change; empty: none.
std::string trusted(const std::string& name, const std::vector<std::string>& writable, HostView& host) {
  const std::string found = find_on_path(name, host);
  if (found.empty()) return {};
  const auto real = host.resolve(found);
  if (!real) return {};
  for (const std::string& path : {found, real->canonical})
    if (std::any_of(writable.begin(), writable.end(),
                    [&](const std::string& one) { return paths::at_or_beneath(path, one); }))
      return {};
  return real->canonical;
}

class SpawnSettings {
 public:
  SpawnSettings(int input, int output) {
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
    ::posix_spawn_file_actions_adddup2(&actions, input, 0);
    ::posix_spawn_file_actions_adddup2(&actions, output, 1);
    ::posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    sigset_t none;
    sigset_t usual;
    ::sigemptyset(&none);
    ::sigfillset(&usual);
    // A process group of its own: Ctrl-C at the terminal does not reach it, and a program that keeps the selection
    // outlives this process.
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setsigdefault(&attributes, &usual);
    ::posix_spawnattr_setpgroup(&attributes, 0);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
  ~SpawnSettings() {
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};
};

}  // namespace

Result<ClipboardTools> find_clipboard_tools(const std::vector<std::string>& writable, HostView& host) {
  for (const ToolPair& pair : tool_pairs()) {
    if (pair.display != nullptr && !is_set(pair.display, host)) continue;
    ClipboardTools out{pair.copy, pair.paste};
    out.copy[0] = trusted(pair.copy[0], writable, host);
    out.paste[0] = trusted(pair.paste[0], writable, host);
    if (!out.copy[0].empty() && !out.paste[0].empty()) return out;
  }
  if (is_set("WAYLAND_DISPLAY", host))
    return fail(ErrorKind::kUnavailable, "wl-copy and wl-paste are not installed", "install wl-clipboard");
  if (is_set("DISPLAY", host))
    return fail(ErrorKind::kUnavailable, "neither xclip nor xsel is installed", "install xclip");
  return fail(ErrorKind::kUnavailable, "there is no display: neither WAYLAND_DISPLAY nor DISPLAY is set",
              "start it from a desktop session");
}

Result<std::unique_ptr<ToolRun>> ToolRun::start(sys::EventLoop& loop, const std::vector<std::string>& argv, Kind kind,
                                                std::string_view input, Bounds bounds,
                                                std::function<void(Result<std::string>)> done) {
  std::unique_ptr<ToolRun> run(new ToolRun(loop, bounds, std::move(done)));
  run->program_ = std::string(paths::basename(argv[0]));
  PF_TRY(memory, sys::sealed_file(input));
  std::array<int, 2> ends{};
  PF_TRY(piped, sys::call("pipe2", "", [&] { return ::pipe2(ends.data(), O_CLOEXEC); }));
  static_cast<void>(piped);
  run->output_ = sys::Fd::adopt(ends[0]);
  sys::Fd write = sys::Fd::adopt(ends[1]);
  // Only the read end: the program may need blocking writes.
  PF_TRY(moded, sys::call("fcntl", "", [&] { return ::fcntl(ends[0], F_SETFL, O_NONBLOCK); }));
  static_cast<void>(moded);
  // A copy program stays in the background to hold the selection; it must not keep the pipe open.
  PF_TRY(nothing, sys::call_fd("open", "/dev/null", [] { return ::open("/dev/null", O_WRONLY | O_CLOEXEC); }));
  const SpawnSettings settings(memory.raw(), kind == Kind::kPaste ? write.raw() : nothing.raw());
  std::vector<std::string> words = argv;
  std::vector<char*> raw;
  raw.reserve(words.size() + 1);
  for (std::string& word : words) raw.push_back(word.data());
  raw.push_back(nullptr);
  const int error = ::posix_spawn(&run->pid_, raw[0], &settings.actions, &settings.attributes, raw.data(), environ);
  if (error != 0) {
    run->pid_ = -1;
    return tl::unexpected<Error>(sys::os_error("posix_spawn", argv[0], error));
  }
  write.reset();
  PF_CHECK(run->watch());
  return run;
}

Result<void> ToolRun::watch() {
  const auto open_pidfd = [&] { return static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)); };
  PF_TRY(pidfd, sys::call_fd("pidfd_open", program_, open_pidfd));
  pidfd_ = std::move(pidfd);
  PF_CHECK(loop_.add(output_.raw(), sys::EventLoop::Interest::kRead, [this] { take_output(); }));
  PF_CHECK(loop_.add(pidfd_.raw(), sys::EventLoop::Interest::kRead, [this] { finish(); }));
  timeout_ = loop_.after(bounds_.timeout, [this] {
    timeout_ = 0;
    problem_ = program_ + " did not answer in time";
    ::kill(-pid_, SIGKILL);
  });
  return {};
}

ToolRun::~ToolRun() {
  if (timeout_ != 0) loop_.cancel(timeout_);
  if (output_.is_open()) loop_.remove(output_.raw());
  if (pidfd_.is_open()) loop_.remove(pidfd_.raw());
  if (pid_ < 0) return;
  ::kill(-pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void ToolRun::take_output() {
  std::array<char, 65536> bytes;
  while (true) {
    const ssize_t size = ::read(output_.raw(), bytes.data(), bytes.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return;  // EAGAIN: no more output yet
    if (size == 0) break;
    output_text_.append(bytes.data(), static_cast<std::size_t>(size));
    if (output_text_.size() <= bounds_.longest) continue;
    problem_ = fmt::format("the clipboard holds more than {} bytes", bounds_.longest);
    ::kill(-pid_, SIGKILL);
    break;
  }
  loop_.remove(output_.raw());
  output_.reset();
}

void ToolRun::finish() {
  int status = 0;
  if (::waitpid(pid_, &status, WNOHANG) != pid_) return;
  pid_ = -1;
  if (output_.is_open()) take_output();
  if (problem_.empty() && (!WIFEXITED(status) || WEXITSTATUS(status) != 0))
    problem_ = program_ + " failed: the clipboard is empty, holds no text, or cannot be reached";
  const auto done = std::move(done_);
  done(problem_.empty() ? Result<std::string>(std::move(output_text_)) : fail(ErrorKind::kUnavailable, problem_));
}

}  // namespace pinfold::plugin
