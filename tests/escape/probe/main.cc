// main.cc: `probe [GUARD] NAME args…` makes one attempt and prints one line, REACHED or DENIED.
// Invariant: exit 0 reached, 1 denied, 2 could not even try; stdout carries nothing else; TRYING on stderr comes first.
// The host's PID 1 and mounts are not the test's to touch. So, with `--unless-in PID-NS MNT-NS`, nothing is tried in
// those namespaces; with `--unless-reads FILE -`, nothing without a system call filter, or if it can read that file.
// Not here: the attempts.
#include <fcntl.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "probe.h"

namespace probe {

Result reached(std::string what) { return {Answer::kReached, std::move(what)}; }
Result denied() { return {Answer::kDenied, errno_name(errno)}; }
Result denied(std::string reason) { return {Answer::kDenied, std::move(reason)}; }
Result cannot(std::string why) {
  if (errno != 0) why += ": " + errno_name(errno);
  return {Answer::kCannotTry, std::move(why)};
}

long number(const std::string& text) { return std::strtol(text.c_str(), nullptr, 0); }

std::string printable(std::string_view bytes, std::size_t limit) {
  std::string out;
  for (char c : bytes.substr(0, limit)) {
    auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      out += c;
    } else {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\x%02x", byte);
      out += escaped;
    }
  }
  return out;
}

Result read_descriptor(int fd) {
  char buffer[512];
  ssize_t got = ::read(fd, buffer, sizeof buffer);
  if (got < 0) return denied();
  // A mask shows an empty file: nothing was obtained.
  if (got == 0) return denied("empty");
  std::string_view bytes(buffer, static_cast<std::size_t>(got));
  return reached(printable(bytes.substr(0, bytes.find('\n')), 120));
}

Result read_path(const std::string& path) {
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return denied();
  Result result = read_descriptor(fd);
  ::close(fd);
  return result;
}

pid_t target(const std::string& text) { return text == "parent" ? ::getppid() : static_cast<pid_t>(number(text)); }

void nap_ms(long milliseconds) {
  timespec left{milliseconds / 1000, (milliseconds % 1000) * 1000000};
  while (::nanosleep(&left, &left) < 0 && errno == EINTR) {
  }
}

std::uint64_t now_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000 + static_cast<std::uint64_t>(now.tv_nsec) / 1000000;
}

namespace {

Result run(const std::string& name, const Args& args) {
  for (const auto list : themes()) {
    for (const Attempt& attempt : list) {
      if (name != attempt.name) continue;
      errno = 0;
      if (args.size() < attempt.least_args) return cannot("too few arguments for " + name);
      return attempt.run(args);
    }
  }
  errno = 0;
  return cannot("no attempt is called " + name);
}

bool stands_in(const char* kind, const char* name) {
  char link[64] = {};
  std::string path = std::string("/proc/self/ns/") + kind;
  return ::readlink(path.c_str(), link, sizeof link - 1) < 0 || std::strcmp(link, name) == 0;
}

bool has_filter() {
  char text[4096] = {};
  int fd = ::open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  ssize_t got = ::read(fd, text, sizeof text - 1);
  ::close(fd);
  return got > 0 && std::strstr(text, "\nSeccomp:\t2\n") != nullptr;
}

bool can_read(const char* path) {
  int fd = ::open(path, O_RDONLY | O_CLOEXEC);
  if (fd >= 0) ::close(fd);
  return fd >= 0;
}

// Why nothing dangerous may be tried here, or nothing.
const char* unconfined(const std::string& guard, const char* one, const char* other) {
  if (guard == "--unless-in" && (stands_in("pid", one) || stands_in("mnt", other))) return "the host's own namespaces";
  if (guard == "--unless-reads" && (!has_filter() || can_read(one))) return "the host without a sandbox";
  return nullptr;
}

}  // namespace
}  // namespace probe

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: probe NAME args…\n", stderr);
    return 2;
  }
  ::signal(SIGPIPE, SIG_IGN);
  std::string begun = std::string("TRYING ") + argv[1] + "\n";
  if (::write(2, begun.data(), begun.size()) < 0) return 2;
  bool guarded = std::strncmp(argv[1], "--unless-", 9) == 0 && argc > 4;
  int name = guarded ? 4 : 1;
  const char* free = guarded ? probe::unconfined(argv[1], argv[2], argv[3]) : nullptr;
  probe::Result result = free != nullptr ? probe::reached(std::string(free) + "; the rest was not tried")
                                         : probe::run(argv[name], probe::Args(argv + name + 1, argv + argc));
  const char* word = result.answer == probe::Answer::kReached  ? "REACHED"
                     : result.answer == probe::Answer::kDenied ? "DENIED"
                                                               : "CANNOT-TRY";
  std::string line = std::string(word) + " " + probe::printable(result.text, 400) + "\n";
  // On a terminal, the earlier output may not have ended its line.
  if (::isatty(1) != 0) line.insert(0, 1, '\n');
  // One write, so that the line stays whole if other processes write to the same pipe.
  if (::write(1, line.data(), line.size()) < 0) return 2;
  std::_Exit(static_cast<int>(result.answer));
}
