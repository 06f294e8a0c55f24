// environment.cc: attempts to find what the caller's environment held, and what arrived as arguments.
// Invariant: prints only the value of the requested variable.
// Not here: other processes' environments (processes.cc).
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "probe.h"

extern char** environ;

namespace probe {
namespace {

Result variable(const Args& args) {
  const char* value = std::getenv(args[0].c_str());
  if (value == nullptr) return denied("not set");
  // A sandbox may set its own harmless value; the caller's carries the needle.
  if (args.size() > 1 && std::strstr(value, args[1].c_str()) == nullptr) return denied("another value");
  return reached(printable(value, 100));
}

Result search_environment(const Args& args) {
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (std::strstr(*entry, args[0].c_str()) != nullptr) return reached(printable(*entry, 100));
  }
  return denied("not in the environment");
}

// What the kernel copied onto the stack at exec lies beside the environment: arguments, auxiliary vector, file name.
Result search_stack(const Args& args) {
  if (environ == nullptr || *environ == nullptr) return denied("no environment");
  const char* from = *environ;
  const char* last = from;
  for (char** entry = environ; *entry != nullptr; ++entry) last = *entry + std::strlen(*entry);
  std::string_view bytes(from, static_cast<std::size_t>(last - from));
  std::size_t found = bytes.find(args[0]);
  if (found == std::string_view::npos) return denied("not on the stack");
  return reached(printable(bytes.substr(found), 80));
}

// Each argument in brackets, bytes outside ASCII escaped.
Result arguments(const Args& args) {
  std::string seen = std::to_string(args.size());
  for (const std::string& argument : args) seen += " [" + printable(argument, 80) + "]";
  return reached(seen);
}

constexpr Attempt kAttempts[] = {
    {"variable", 1, variable},
    {"search-environment", 1, search_environment},
    {"search-stack", 1, search_stack},
    {"arguments", 0, arguments},
};

}  // namespace

std::span<const Attempt> environment_attempts() { return kAttempts; }

}  // namespace probe
