// probe.h: the vocabulary of the probe: one attempt, one answer, one line.
// Invariant: an attempt prints REACHED only when it has reached its target; it changes only files that the test made.
// Not here: deciding whether an answer is good or bad (the suite's table).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace probe {

using Args = std::vector<std::string>;

enum class Answer : int { kReached = 0, kDenied = 1, kCannotTry = 2 };

struct Result {
  Answer answer;
  std::string text;
};

Result reached(std::string what);
Result denied();  // by errno
Result denied(std::string reason);
Result cannot(std::string why);  // adds errno when it is set

struct Attempt {
  const char* name;
  std::size_t least_args;
  Result (*run)(const Args& args);
};

// All that this system can try (themes.cc, themes_darwin.cc).
std::vector<std::span<const Attempt>> themes();

// One list per file.
std::span<const Attempt> file_attempts();
std::span<const Attempt> handle_attempts();
std::span<const Attempt> mode_attempts();
std::span<const Attempt> process_attempts();
std::span<const Attempt> namespace_attempts();
std::span<const Attempt> mount_attempts();
std::span<const Attempt> call_attempts();
std::span<const Attempt> ring_attempts();
std::span<const Attempt> terminal_attempts();
std::span<const Attempt> exec_attempts();
std::span<const Attempt> resource_attempts();
std::span<const Attempt> environment_attempts();
std::span<const Attempt> socket_attempts();
std::span<const Attempt> race_attempts();

// Helpers shared by the themes.
std::string errno_name(int number);
long number(const std::string& text);                              // decimal, 0x… or 0…
std::string printable(std::string_view bytes, std::size_t limit);  // control and non-ASCII bytes escaped
Result read_descriptor(int fd);  // reached(first line), or denied when there is nothing
Result read_path(const std::string& path);
pid_t target(const std::string& text);  // a number, or "parent"
void nap_ms(long milliseconds);
std::uint64_t now_ms();

}  // namespace probe
