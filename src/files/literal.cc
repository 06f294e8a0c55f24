// literal.cc: finding a piece of text quickly, and the piece that every match of a pattern must contain.
// Invariant: pure; sixteen places at a time where the processor can, by the first and the last byte of the piece.
// Not here: regular expressions themselves (matcher.cc).
#include "files/literal.h"

#include <cstring>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace pinfold::files {

using std::string_view;

std::size_t find_literal(string_view text, string_view piece, std::size_t from) {
  if (from > text.size() || piece.size() > text.size() - from) return string_view::npos;
  if (piece.empty()) return from;
  const char* const begin = text.data();
  if (piece.size() == 1) {
    const void* found = std::memchr(begin + from, piece[0], text.size() - from);
    return found == nullptr ? string_view::npos : static_cast<std::size_t>(static_cast<const char*>(found) - begin);
  }
#if defined(__SSE2__)
  const std::size_t behind = piece.size() - 1;
  const __m128i first = _mm_set1_epi8(piece.front());
  const __m128i last = _mm_set1_epi8(piece.back());
  std::size_t at = from;
  for (; at + behind + 16 <= text.size(); at += 16) {
    const __m128i one = _mm_loadu_si128(reinterpret_cast<const __m128i*>(begin + at));
    const __m128i two = _mm_loadu_si128(reinterpret_cast<const __m128i*>(begin + at + behind));
    auto hits =
        static_cast<unsigned>(_mm_movemask_epi8(_mm_and_si128(_mm_cmpeq_epi8(one, first), _mm_cmpeq_epi8(two, last))));
    for (; hits != 0; hits &= hits - 1) {
      const std::size_t here = at + static_cast<unsigned>(__builtin_ctz(hits));
      if (std::memcmp(begin + here + 1, piece.data() + 1, behind) == 0) return here;
    }
  }
  from = at;
#endif
  const void* found = ::memmem(begin + from, text.size() - from, piece.data(), piece.size());
  return found == nullptr ? string_view::npos : static_cast<std::size_t>(static_cast<const char*>(found) - begin);
}

std::size_t count_lines(string_view text) {
  std::size_t lines = 0;
  const char* at = text.data();
  const char* const end = at + text.size();
#if defined(__SSE2__)
  const __m128i newline = _mm_set1_epi8('\n');
  for (; end - at >= 16; at += 16) {
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    lines += static_cast<std::size_t>(
        __builtin_popcount(static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(block, newline)))));
  }
#endif
  for (; at < end; ++at) lines += *at == '\n' ? 1 : 0;
  return lines;
}

bool is_plain(string_view expression) { return expression.find_first_of("\\^$.|?*+()[]{}\n") == string_view::npos; }

std::string required_literal(string_view expression) {
  // Alternatives, groups and flags: each could make a piece needless. Those patterns are searched without help.
  if (expression.find_first_of("|(){}\n") != string_view::npos) return {};
  std::string best;
  std::string run;
  const auto end_run = [&] {
    if (run.size() > best.size()) best = run;
    run.clear();
  };
  for (std::size_t at = 0; at < expression.size(); ++at) {
    const char c = expression[at];
    switch (c) {
      case '?':
      case '*':
        // The character before the operator is optional; it may be several bytes.
        while (!run.empty() && (static_cast<unsigned char>(run.back()) & 0xC0U) == 0x80U) run.pop_back();
        if (!run.empty()) run.pop_back();
        end_run();
        break;
      case '+':
      case '^':
      case '$':
      case '.': end_run(); break;
      case '[': {
        end_run();
        std::size_t close = expression.find(']', at + (expression.substr(at + 1).starts_with('^') ? 3 : 2));
        // Escapes and classes in it: not worth understanding.
        const string_view inside = expression.substr(at + 1, close == string_view::npos ? close : close - at - 1);
        if (close == string_view::npos || inside.find_first_of("\\[") != string_view::npos) return best;
        at = close;
        break;
      }
      case '\\': {
        if (at + 1 == expression.size()) return {};
        const char next = expression[++at];
        const bool punctuation = std::strchr("\\.+*?()|[]{}^$/-\"'<>=!@#%&,:;~` _", next) != nullptr && next != 0;
        if (punctuation && next != '_') {
          run += next;
          break;
        }
        end_run();
        // \b, \w and the like stand alone; \x41, \pL, \Q and numbers take more with them.
        if (std::strchr("bBwWdDsS", next) == nullptr) return best;
        break;
      }
      default: run += c;
    }
  }
  end_run();
  return best;
}

}  // namespace pinfold::files
