// fuzz.h: the parts of the program that makes random system calls: random numbers, memory, values, calls, sequences.
// Invariant: one seed makes the same choices in every run, and a step that is left out changes no other step.
// Not here: the world that the calls are made on, and the comparison (run, world.py).
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace fuzz {

using Word = std::uint64_t;

// splitmix64: small, and the same on every machine.
class Random {
 public:
  explicit Random(Word seed) : state_(seed) {}
  Word next();
  Word below(Word bound) { return next() % bound; }
  [[nodiscard]] bool one_in(Word n) { return below(n) == 0; }
  template <class T, std::size_t N>
  const T& any(const T (&values)[N]) {
    return values[below(N)];
  }

 private:
  Word state_;
};

// Descriptors below this are the random program's; the report's and the scanner's lie above.
inline constexpr int kFirstOwnDescriptor = 900;
inline constexpr int kReport = kFirstOwnDescriptor;
inline constexpr std::size_t kSlots = 24;
inline constexpr std::size_t kOutput = 1 << 16;
inline constexpr std::size_t kCallNumbers = 512;

// Shared by the keeper, the executor and all its children, so that a killed executor has still counted.
struct Counters {
  Word steps;
  Word forks;
  Word leaks;
  std::array<std::uint32_t, kCallNumbers> made;
  std::array<std::uint32_t, kCallNumbers> succeeded;
};

struct Mapping {
  void* address;
  std::size_t length;
};

// One program: the state that earlier calls leave to later ones.
struct Program {
  Random random{0};
  std::array<int, kSlots> descriptors{};
  std::array<Mapping, 8> mappings{};
  std::array<pid_t, 8> children{};
  pid_t sibling = 0;
  Word step = 0;
  int depth = 0;
  bool trace = false;
  Counters* counters = nullptr;
};

// memory.cc: the buffers that calls read from and write to, and the search for canaries in them.
void prepare_memory(Program& program);
char* output_buffer(std::size_t offset);  // cleared before each call
char* scratch(std::size_t size);          // for arguments; valid until the next clear_buffers()
const char* scratch_text(const std::string& text);
void clear_buffers();
void search_output(Program& program, long number);
void search_memory(Program& program, long number, const void* address,
                   std::size_t length);  // may be unmapped: no fault
void start_flipping();                   // a thread that exchanges the contents of flipping_path() all the time
const char* flipping_path(const char* one, const char* other);

// paths.cc
const char* any_path(Program& program);

// values.cc
int any_descriptor(Program& program);
int any_directory(Program& program);
void keep_descriptor(Program& program, long descriptor);
Word value_for(char kind, Program& program);

// shapes.cc
struct Shape {
  long number;
  const char* name;
  const char* arguments;  // one letter for each: values.cc
};
std::span<const Shape> shapes();
const char* call_name(long number);
int check_against_reviewed_calls();  // 0, or 1 and a line for each reviewed call without a shape or a reason
bool makes_descriptor(long number);

// main.cc
long make(Program& program, long number, std::array<Word, 6> arguments);
void run_steps(Program& program, Random choices, int steps);
long fork_and_run(Program& program, Word flags);

// sequences.cc, processes.cc: several calls that only together reach something.
using Sequence = void (*)(Program&);
void any_sequence(Program& program);
std::span<const Sequence> process_sequences();

inline Word word(const void* at) { return static_cast<Word>(reinterpret_cast<std::uintptr_t>(at)); }
inline Word word(long value) { return static_cast<Word>(value); }
inline char* output() { return output_buffer(0); }

}  // namespace fuzz
