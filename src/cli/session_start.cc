// session_start.cc: `pinfold session start`: forks the session's process, and waits until the session is ready.
// Invariant: prints the session's name, or the error; the session's process keeps neither streams, terminal,
// descriptors nor working directory of the caller. Not here: the session itself (session/live_session.h).
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "base/try.h"
#include "cli/commands.h"
#include "cli/memory.h"
#include "cli/options.h"
#include "cli/prepare.h"
#include "cli/process_io.h"
#include "cli/prompt.h"
#include "control/runtime_dir.h"
#include "report/gaps.h"
#include "report/outcome.h"
#include "session/live_session.h"
#include "sys/call.h"
#include "sys/close_range.h"
#include "sys/files.h"
#include "sys/host.h"

namespace pinfold::cli {
namespace {

struct SessionRequest {
  RunOptions options;
  Caller caller;
  std::string name;
  sys::Fd owner;
};

// A pidfd of the parent process, checked after opening against reuse of its pid.
Result<sys::Fd> hold_owner() {
  for (;;) {
    const pid_t parent = ::getppid();
    if (parent <= 0)
      return fail(ErrorKind::kUnavailable,
                  "the parent process is in another pid namespace, so the session cannot end with it",
                  "keep the session with --detach");
    PF_TRY(fd, sys::call_fd("pidfd_open", "owner", [&] { return ::syscall(SYS_pidfd_open, parent, 0); }),
           "holding the session's owner");
    if (::getppid() == parent) return fd;
  }
}

Result<SessionRequest> read_request(const CommandLine& parsed, Context& context) {
  SessionRequest request;
  PF_TRY(caller, sys::find_caller(context.host));
  request.caller = std::move(caller);
  PF_TRY(options, read_run_options(parsed, request.caller));
  request.options = std::move(options);
  if (const FlagValue* name = find_flag_value(parsed, Id::kName)) {
    request.name = name->value;
    PF_CHECK(control::check_name(request.name));
  }
  if (!has_flag(parsed, Id::kDetach)) {
    PF_TRY(owner, hold_owner());
    request.owner = std::move(owner);
  }
  return request;
}

// Closes all descriptors from 3 on, except the pipe for the name and the owner's pidfd.
void close_other_descriptors(int name_pipe, int owner) {
  unsigned next = 3;
  for (const int fd : {std::min(name_pipe, owner), std::max(name_pipe, owner)}) {
    if (fd < 3) continue;
    if (static_cast<unsigned>(fd) > next) sys::close_range(next, static_cast<unsigned>(fd) - 1);
    next = static_cast<unsigned>(fd) + 1;
  }
  sys::close_range(next, ~0U);
}

// On an error the caller's streams are still there, and print it.
Result<void> detach_from_caller() {
  ::setsid();
  PF_TRY(moved, sys::call("chdir", "/", [] { return ::chdir("/"); }), "detaching the session");
  static_cast<void>(moved);
  PF_TRY(nothing, sys::call_fd("open", "/dev/null", [] { return ::open("/dev/null", O_RDWR | O_CLOEXEC); }),
         "detaching the session");
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    PF_TRY(done, sys::call("dup2", "/dev/null", [&] { return ::dup2(nothing.raw(), fd); }), "detaching the session");
    static_cast<void>(done);
  }
  return {};
}

int print_refusal(const Report& report, HostView& host) {
  print(STDERR_FILENO, report::run_message(report, format_for(STDERR_FILENO, host)));
  return exit_code(report.outcome);
}

// Runs in the session's process; returns the exit code.
int run_session(const CommandLine& parsed, SessionRequest request, sys::Fd name_pipe, Context& context) {
  close_other_descriptors(name_pipe.raw(), request.owner.raw());
  Report report;
  auto prepared = prepare(parsed, request.options, request.caller, context, {});
  if (!prepared) return complain(prepared.error(), context.host);
  auto loop = sys::EventLoop::create();
  if (!loop) return complain(loop.error(), context.host);
  keep_cache_owner(*prepared);
  TerminalDecider decider(context.host);
  session::SessionOptions opening;
  opening.plan = &prepared->plan;
  opening.candidates = prepared->candidates;
  opening.name = request.name;
  if (!prepared->workspaces.empty()) opening.workspace = prepared->workspaces[0];
  opening.owner = std::move(request.owner);
  opening.decider = &decider;
  opening.warn = [&](const GapRequest& question) { warn_about_gaps(question, Confinement::kSandbox, context.host); };
  session::LiveSession session(std::move(opening), *loop, context.host);
  if (!session.open(report)) return print_refusal(report, context.host);
  if (const auto detached = detach_from_caller(); !detached) return complain(detached.error(), context.host);
  // If the process that asked was killed, no process knows this session's name: the session ends.
  if (!sys::write_all(name_pipe.raw(), session.entry().name + "\n", "answer")) return kUsageError;
  name_pipe.reset();
  release_startup_memory();
  session.serve();
  return 0;
}

}  // namespace

int session_start(const CommandLine& parsed, Context& context) {
  auto request = read_request(parsed, context);
  if (!request) return complain(request.error(), context.host);
  int ends[2];
  auto made = sys::call("pipe2", "answer", [&] { return ::pipe2(ends, O_CLOEXEC); });
  if (!made) return complain(made.error(), context.host);
  auto name_pipe = sys::Fd::adopt(ends[0]);
  auto name_writer = sys::Fd::adopt(ends[1]);
  auto child = sys::call("fork", "session", [] { return ::fork(); });
  if (!child) return complain(child.error(), context.host);
  if (*child == 0) {
    name_pipe.reset();
    return run_session(parsed, std::move(*request), std::move(name_writer), context);
  }
  name_writer.reset();
  std::string name;
  char buffer[128];
  for (;;) {
    const auto size = sys::call("read", "answer", [&] { return ::read(name_pipe.raw(), buffer, sizeof buffer); });
    if (!size) {  // no process knows the session's name: it ends
      ::kill(*child, SIGTERM);
      static_cast<void>(sys::call("waitpid", "session", [&] { return ::waitpid(*child, nullptr, 0); }));
      return complain(size.error(), context.host);
    }
    if (*size == 0) break;
    name.append(buffer, static_cast<std::size_t>(*size));
  }
  if (!name.empty()) {
    print(STDOUT_FILENO, name);
    return 0;
  }
  // The child printed the error; its exit code is the result.
  int status = 0;
  const auto ended = sys::call("waitpid", "session", [&] { return ::waitpid(*child, &status, 0); });
  if (ended && WIFSIGNALED(status))
    return complain(Error(ErrorKind::kSystem,
                          fmt::format("signal {} ({}) ended the session's process before the session was ready",
                                      WTERMSIG(status), ::strsignal(WTERMSIG(status))),
                          "start the session again"),
                    context.host);
  return ended && WIFEXITED(status) && WEXITSTATUS(status) != 0 ? WEXITSTATUS(status) : kUsageError;
}

}  // namespace pinfold::cli
