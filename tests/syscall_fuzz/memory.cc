// memory.cc: buffers for arguments and results, and the search for canary text in everything that a call returned.
// Invariant: the canary's text is nowhere in this program, which keeps it with each byte changed.
// Not here: which buffer a call gets (values.cc).
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "fuzz.h"

namespace fuzz {
namespace {

constexpr unsigned char kMask = 0x15;
// "PINFOLD-CANARY:" with kMask on each byte; the kind of canary and a semicolon follow it.
constexpr auto kMasked = [] {
  constexpr char text[] = {'E', '\\', '[', 'S', 'Z', 'Y', 'Q', '8', 'V', 'T', '[', 'T', 'G', 'L', '/'};
  std::array<unsigned char, sizeof text> out{};
  for (std::size_t i = 0; i < sizeof text; ++i) out[i] = static_cast<unsigned char>(text[i]);
  return out;
}();
constexpr std::size_t kScratch = 1 << 16;
constexpr Word kMostLeaks = 40;
constexpr int kPipeRead = kFirstOwnDescriptor + 1;
constexpr int kPipeWrite = kFirstOwnDescriptor + 2;

char* g_output = nullptr;
char* g_scratch = nullptr;
std::size_t g_used = 0;

constexpr std::size_t kFlips = 4;
struct Flip {
  char shown[256];
  char one[256];
  char other[256];
};
Flip* g_flips = nullptr;
std::size_t g_next_flip = 0;
bool g_flipping = false;

void* flip(void*) {
  for (bool odd = false;; odd = !odd)
    for (std::size_t i = 0; i < kFlips; ++i) {
      std::memcpy(g_flips[i].shown, odd ? g_flips[i].one : g_flips[i].other, sizeof g_flips[i].shown);
      asm volatile("" ::: "memory");
    }
  return nullptr;
}

char* map(std::size_t size) {
  void* at = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) _exit(90);
  return static_cast<char*>(at);
}

// Spoils each match, so that the next call does not report it again.
void search(Program& program, long number, char* text, std::size_t length) {
  const char first = static_cast<char>(kMasked[0] ^ kMask);
  char* end = text + length;
  for (char* at = text; end - at > static_cast<std::ptrdiff_t>(kMasked.size()); ++at) {
    at = static_cast<char*>(std::memchr(at, first, static_cast<std::size_t>(end - at)));
    if (at == nullptr || end - at <= static_cast<std::ptrdiff_t>(kMasked.size())) return;
    bool same = true;
    for (std::size_t i = 0; i < kMasked.size() && same; ++i)
      same = (static_cast<unsigned char>(at[i]) ^ kMask) == kMasked[i];
    if (!same || program.counters->leaks >= kMostLeaks) continue;
    ++program.counters->leaks;
    *at = 0;
    const char* kind = at + kMasked.size();
    int size = 0;
    while (kind + size < end && size < 24 && kind[size] != ';' && kind[size] > ' ') ++size;
    char line[160];
    const bool cut = kind + size >= end || kind[size] != ';';  // a short read: the rest of the kind is not known
    const int written = std::snprintf(line, sizeof line, "\n@@ leak %.*s%s by %s step %llu\n", size, kind,
                                      cut ? "~" : "", call_name(number), static_cast<unsigned long long>(program.step));
    if (::write(kReport, line, static_cast<std::size_t>(written)) < 0) return;
  }
}

}  // namespace

void prepare_memory(Program&) {
  g_output = map(kOutput);
  g_scratch = map(kScratch);
  g_flips = static_cast<Flip*>(static_cast<void*>(map(sizeof(Flip) * kFlips)));
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return;
  ::dup3(ends[0], kPipeRead, O_CLOEXEC);
  ::dup3(ends[1], kPipeWrite, O_CLOEXEC);
  ::close(ends[0]);
  ::close(ends[1]);
}

char* output_buffer(std::size_t offset) { return g_output + offset % kOutput; }

char* scratch(std::size_t size) {
  size = (size + 15) & ~std::size_t{15};
  if (g_used + size > kScratch) g_used = 0;
  char* at = g_scratch + g_used;
  g_used += size;
  return at;
}

const char* scratch_text(const std::string& text) {
  char* at = scratch(text.size() + 1);
  std::memcpy(at, text.c_str(), text.size() + 1);
  return at;
}

void clear_buffers() {
  std::memset(g_output, 0, kOutput);
  g_used = 0;
}

void search_output(Program& program, long number) { search(program, number, g_output, kOutput); }

void search_memory(Program& program, long number, const void* address, std::size_t length) {
  static char copy[4096];
  // write() answers EFAULT where reading the memory would end this process.
  const ssize_t written = ::write(kPipeWrite, address, std::min(length, sizeof copy));
  if (written <= 0) return;
  const ssize_t got = ::read(kPipeRead, copy, sizeof copy);
  if (got > 0) search(program, number, copy, static_cast<std::size_t>(got));
  std::memset(copy, 0, sizeof copy);
}

void start_flipping() {
  pthread_t thread{};
  g_flipping = ::pthread_create(&thread, nullptr, flip, nullptr) == 0;
}

const char* flipping_path(const char* one, const char* other) {
  if (!g_flipping) return one;
  Flip& flip = g_flips[g_next_flip++ % kFlips];
  std::snprintf(flip.one, sizeof flip.one, "%s", one);
  std::snprintf(flip.other, sizeof flip.other, "%s", other);
  return flip.shown;
}

}  // namespace fuzz
