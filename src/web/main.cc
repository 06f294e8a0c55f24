// main.cc: pinfold-web: the local page, for all sandboxes of this user or for one. Started by `pinfold web`, and by a
// run with --ask web, which holds the other end of --notify. Invariant: the link is written once, to the starting
// process, and is in no argument or variable of any process; the program ends when the other end of --notify is closed.
// Not here: the page (site.h).
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "base/try.h"
#include "base/units.h"
#include "sys/files.h"
#include "sys/host.h"
#include "sys/signals.h"
#include "web/sandboxes.h"
#include "web/site.h"

namespace {

using namespace pinfold;

constexpr int kFailed = 125;
constexpr std::string_view kUsage =
    "usage: pinfold-web [--port N] [--expires 10m] [--for ID] [--notify FD] [--review yes]\n"
    "This program is started by `pinfold web`; see: pinfold help web\n";

struct Options {
  std::uint16_t port = 0;
  std::chrono::milliseconds expires = std::chrono::minutes(10);
  std::string only;
  int notify = -1;
  bool review = false;  // the review is read as one line from --notify; the decision is written there
};

template <typename Number>
Result<Number> number_of(std::string_view flag, std::string_view text) {
  Number out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error == std::errc() && end == text.data() + text.size()) return out;
  return fail(ErrorKind::kInvalid, fmt::format("{} {} is not a valid number", flag, text::shown(text)));
}

Result<Options> read_options(int argc, char** argv) {
  Options out;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view flag = argv[i];
    if (i + 1 == argc) return fail(ErrorKind::kInvalid, fmt::format("{} needs a value", text::shown(flag)));
    const std::string_view value = argv[i + 1];
    if (flag == "--port") {
      PF_TRY(port, number_of<std::uint16_t>(flag, value));
      out.port = port;
    } else if (flag == "--expires") {
      PF_TRY(time, units::parse_duration(value), "--expires");
      out.expires = time;
    } else if (flag == "--for") {
      out.only = value;
    } else if (flag == "--notify") {
      PF_TRY(fd, number_of<int>(flag, value));
      out.notify = fd;
    } else if (flag == "--review") {
      out.review = value == "yes";
    } else {
      return fail(ErrorKind::kInvalid, fmt::format("unknown flag {}", text::shown(flag)));
    }
  }
  if (out.review && out.notify < 0) return fail(ErrorKind::kInvalid, "--review needs --notify");
  return out;
}

// Ends this process when the other end of `fd` is closed.
void end_with(int fd, web::Site& site) {
  std::thread([fd, &site] {
    char byte = 0;
    while (::read(fd, &byte, 1) > 0 || errno == EINTR) {
    }
    site.finish_decisions();
    ::_exit(0);  // nothing to clean up
  }).detach();
}

Result<std::string> read_line(int fd) {
  constexpr std::size_t kLongest = std::size_t{4} << 20U;
  std::string out;
  while (out.size() < kLongest) {
    char buffer[4096];
    const ssize_t size = ::read(fd, buffer, sizeof buffer);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return fail(ErrorKind::kSystem, "--notify was closed before the review arrived");
    out.append(buffer, static_cast<std::size_t>(size));
    if (out.back() == '\n') return out;
  }
  return fail(ErrorKind::kInvalid, "the review is too long");
}

// Prints another link for each line that the user types at a terminal.
void serve_terminal(web::Site& site) {
  if (::isatty(STDIN_FILENO) == 0) return;
  char text[256];
  while (::read(STDIN_FILENO, text, sizeof text) > 0)
    static_cast<void>(sys::write_all(STDOUT_FILENO, site.new_link() + "\n", "stdout"));
}

Result<void> write_link(const Options& options, web::Site& site) {
  const std::string link = site.new_link();
  if (options.notify >= 0) return sys::write_all(options.notify, link + "\n", "--notify");
  PF_CHECK(sys::write_all(STDOUT_FILENO, link + "\n", "stdout"));
  std::string note = fmt::format("Open this link in your browser. It works once, within {}. Ctrl-C ends the page.\n",
                                 units::format_duration(options.expires));
  if (::isatty(STDIN_FILENO) != 0) note += "Press Enter for another link.\n";
  return sys::write_all(STDERR_FILENO, note, "stderr");
}

// Returns only after an error.
Result<void> review(const Options& options) {
  PF_TRY(line, read_line(options.notify));
  PF_TRY(plugin_review, web::PluginReview::open(std::move(line), [fd = options.notify](const std::string& word) {
           static_cast<void>(sys::write_all(fd, word + "\n", "--notify"));
         }));
  web::View view;
  web::LoginTokens login_tokens(options.expires);
  web::Site site(view, login_tokens, plugin_review);
  PF_CHECK(site.open(options.port));
  end_with(options.notify, site);
  PF_CHECK(write_link(options, site));
  site.serve();
  return fail(ErrorKind::kSystem, "the server stopped");
}

// Returns only after an error.
Result<void> run(const Options& options) {
  if (options.review) return review(options);
  auto host = sys::real_host();
  PF_TRY(runtime, control::RuntimeDir::open(*host));
  web::View view;
  web::LoginTokens login_tokens(options.expires);
  web::Sandboxes sandboxes(std::move(runtime), options.only, view);
  web::Site site(view, login_tokens,
                 {[&](const std::string& sandbox, std::uint64_t request, ApprovalDecision decision) {
                    return sandboxes.decide(sandbox, request, decision);
                  },
                  [&](const std::string& sandbox, std::uint64_t grant) { return sandboxes.revoke(sandbox, grant); }});
  PF_CHECK(site.open(options.port));
  if (options.notify >= 0)
    end_with(options.notify, site);
  else
    std::thread([&site] { serve_terminal(site); }).detach();
  PF_CHECK(write_link(options, site));
  site.serve();
  return fail(ErrorKind::kSystem, "the server stopped");
}

int begin(int argc, char** argv) {
  sys::survive_broken_pipes();
  sys::survive_file_size_limit();
  const rlimit no_core{0, 0};  // secrets are in memory
  ::setrlimit(RLIMIT_CORE, &no_core);
  auto options = read_options(argc, argv);
  const Error error = options ? run(*options).error() : options.error();
  std::string text = fmt::format("pinfold-web: error: {}\n", text::shown(error.text()));
  if (!options) text += kUsage;
  if (!error.fix().empty()) text += error.fix() + "\n";
  static_cast<void>(sys::write_all(STDERR_FILENO, text, "stderr"));
  if (options && options->notify >= 0) static_cast<void>(sys::write_all(options->notify, "! " + text, "--notify"));
  ::_exit(kFailed);
}

}  // namespace

// An exception here can only be reported by the exit code.
int main(int argc, char** argv) {
  try {
    return begin(argc, argv);
  } catch (...) {
    return kFailed;
  }
}
