// redactor.cc: hostile text, whole, byte by byte, and cut at odd places, with a value that must not be in the result.
// Invariant: the cuts make no difference; the given value is not in the result; no tag is written into one.
// Not here: which secrets are known (src/safety/redaction/rules_test.cc).
#include "safety/redaction/redactor.h"

#include <cstddef>
#include <cstdint>

#include "world.h"

namespace {

using namespace pinfold::redaction;
constexpr std::string_view kGiven = "GiVeN7";

std::string in_pieces(std::string_view text, std::size_t piece) {
  Redactor redactor(Only::kEverything);
  redactor.add_value("given", kGiven);
  std::string out;
  for (; !text.empty(); piece = piece * 3 % 251 + 1) {
    out += redactor.feed(text.substr(0, piece));
    text.remove_prefix(std::min(piece, text.size()));
  }
  return out + redactor.finish();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using pinfold::fuzz::promise;
  std::string text(reinterpret_cast<const char*>(data), size);
  text += std::string(size % 1800, ' ') + text;  // longer than the text that the redactor holds back
  Redactor whole(Only::kEverything);
  whole.add_value("given", kGiven);
  const std::string out = whole.whole(text);
  promise(out.find(kGiven) == std::string::npos, "a given value does not come out");
  promise(in_pieces(text, size == 0 ? 1 : data[size - 1] % 64U + 1U) == out, "the cuts make no difference");
  if (size < 200) {
    std::string by_byte;
    Redactor redactor(Only::kEverything);
    redactor.add_value("given", kGiven);
    for (const char c : text) by_byte += redactor.feed({&c, 1});
    promise(by_byte + redactor.finish() == out, "nor do bytes one by one");
  }
  return 0;
}
