// session_start.cc: `pinfold session start`: the session's own process, which stays, and the one that waits until it
// stands. Invariant: whoever started it hears the name, or why there is none, and nothing of his (streams, terminal,
// descriptors, working directory) is held by what stays.
// Not here: what the session does (session/live_session.h).
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
#include "cli/prompt.h"
#include "cli/process_io.h"
#include "control/runtime_dir.h"
#include "report/gaps.h"
#include "report/outcome.h"
#include "session/live_session.h"
#include "sys/call.h"
#include "sys/files.h"
#include "sys/host.h"

namespace pinfold::cli {
namespace {

struct Wanted {
  RunOptions options;
  Caller caller;
  std::string name;
  sys::Fd owner;
};

// The process that called us, held so that no other can take its number.
Result<sys::Fd> hold_owner() {
  for (;;) {
    const pid_t parent = ::getppid();
    if (parent <= 0)
      return fail(ErrorKind::kUnavailable, "the process that started this cannot be seen from here",
                  "keep the session with --detach");
    PF_TRY(fd, sys::call_fd("pidfd_open", "owner", [&] { return ::syscall(SYS_pidfd_open, parent, 0); }),
           "holding the session's owner");
    if (::getppid() == parent) return fd;
  }
}

Result<Wanted> read_wanted(const Parsed& parsed, Context& context) {
  Wanted wanted;
  PF_TRY(caller, sys::find_caller(context.host), "");
  wanted.caller = std::move(caller);
  PF_TRY(options, read_run_options(parsed, wanted.caller), "");
  wanted.options = std::move(options);
  if (const Given* name = find_given(parsed, Id::kName)) {
    wanted.name = name->value;
    PF_CHECK(control::check_name(wanted.name), "");
  }
  if (!given(parsed, Id::kDetach)) {
    PF_TRY(owner, hold_owner(), "");
    wanted.owner = std::move(owner);
  }
  return wanted;
}

// Only the way to tell the name, and the owner, if any.
void let_go_of_descriptors(int answer, int owner) {
  unsigned next = 3;
  for (const int fd : {std::min(answer, owner), std::max(answer, owner)}) {
    if (fd < 3) continue;
    if (static_cast<unsigned>(fd) > next) ::syscall(SYS_close_range, next, static_cast<unsigned>(fd) - 1, 0);
    next = static_cast<unsigned>(fd) + 1;
  }
  ::syscall(SYS_close_range, next, ~0U, 0);
}

void stand_alone() {
  ::setsid();
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = 0; fd < 3; ++fd) ::dup2(nothing, fd);
  if (nothing > 2) ::close(nothing);
  if (::chdir("/") != 0) ::_exit(kUsageError);
}

int refused(const Report& report, HostView& host) {
  print(STDERR_FILENO, report::run_message(report, paper_for(STDERR_FILENO, host)));
  return exit_code(report.outcome);
}

// In the process that stays, if it comes to that.
int be_session(const Parsed& parsed, Wanted wanted, sys::Fd answer, Context& context) {
  let_go_of_descriptors(answer.raw(), wanted.owner.raw());
  Report report;
  auto prepared = prepare(parsed, wanted.options, wanted.caller, context, {});
  if (!prepared) return complain(prepared.error(), context.host);
  auto loop = sys::EventLoop::create();
  if (!loop) return complain(loop.error(), context.host);
  keep_cache_owner(*prepared);
  TerminalDecider decider(context.host);
  session::Opening opening;
  opening.plan = &prepared->plan;
  opening.candidates = prepared->candidates;
  opening.name = wanted.name;
  if (!prepared->workspaces.empty()) opening.workspace = prepared->workspaces[0];
  opening.owner = std::move(wanted.owner);
  opening.decider = &decider;
  opening.warn = [&](const GapQuestion& question) { warn_about_gaps(question, Walls::kSandbox, context.host); };
  session::LiveSession session(std::move(opening), *loop, context.host);
  if (!session.open(report)) return refused(report, context.host);
  stand_alone();
  // If the process that asked was killed, no process knows this session's name: the session ends.
  if (!sys::write_all(answer.raw(), session.entry().name + "\n", "answer")) return kUsageError;
  answer.reset();
  release_what_was_for_starting();
  session.serve();
  return 0;
}

}  // namespace

int session_start(const Parsed& parsed, Context& context) {
  auto wanted = read_wanted(parsed, context);
  if (!wanted) return complain(wanted.error(), context.host);
  int ends[2];
  auto made = sys::call("pipe2", "answer", [&] { return ::pipe2(ends, O_CLOEXEC); });
  if (!made) return complain(made.error(), context.host);
  auto answer = sys::Fd::adopt(ends[0]);
  auto told = sys::Fd::adopt(ends[1]);
  auto child = sys::call("fork", "session", [] { return ::fork(); });
  if (!child) return complain(child.error(), context.host);
  if (*child == 0) {
    answer.reset();
    return be_session(parsed, std::move(*wanted), std::move(told), context);
  }
  told.reset();
  std::string name;
  char buffer[128];
  for (;;) {
    const auto size = sys::call("read", "answer", [&] { return ::read(answer.raw(), buffer, sizeof buffer); });
    if (!size || *size == 0) break;
    name.append(buffer, static_cast<std::size_t>(*size));
  }
  if (!name.empty()) {
    print(STDOUT_FILENO, name);
    return 0;
  }
  // It has said why, and its exit code says it again.
  int status = 0;
  const auto ended = sys::call("waitpid", "session", [&] { return ::waitpid(*child, &status, 0); });
  if (ended && WIFSIGNALED(status))
    return complain(Error(ErrorKind::kSystem,
                          fmt::format("signal {} ({}) ended the session's process before the session stood",
                                      WTERMSIG(status), ::strsignal(WTERMSIG(status))),
                          "start the session again"),
                    context.host);
  return ended && WIFEXITED(status) && WEXITSTATUS(status) != 0 ? WEXITSTATUS(status) : kUsageError;
}

}  // namespace pinfold::cli
