// json_walker.cc: hostile JSON, whole and cut.
// Invariant: valid JSON stays valid and keeps its shape; the cuts make no difference.
// Not here: which values are removed (src/safety/redaction/json_redactor_test.cc).
#include <cstddef>
#include <cstdint>

#include <nlohmann/json.hpp>

#include "safety/redaction/json_redactor.h"
#include "world.h"

namespace {

using namespace pinfold::redaction;
using Json = nlohmann::json;

bool same_shape(const Json& a, const Json& b) {
  if (a.is_number() && b.is_number()) return true;
  if (a.type() != b.type()) return false;
  if (a.is_array()) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
      if (!same_shape(a[i], b[i])) return false;
  }
  return true;
}

std::string in_pieces(std::string_view text, std::size_t piece) {
  Redactor redactor(Only::kEverything);
  JsonRedactor walker(redactor);
  std::string out;
  for (; !text.empty(); piece = piece * 3 % 251 + 1) {
    out += walker.feed(text.substr(0, piece));
    text.remove_prefix(std::min(piece, text.size()));
  }
  return out + walker.finish();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using pinfold::fuzz::promise;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Redactor redactor(Only::kEverything);
  const std::string out = redact_json(redactor, text);
  promise(in_pieces(text, size == 0 ? 1 : data[size - 1] % 64U + 1U) == out, "the cuts make no difference");
  const Json before = Json::parse(text, nullptr, false);
  if (before.is_discarded()) return 0;
  const Json after = Json::parse(out, nullptr, false);
  promise(!after.is_discarded(), "valid JSON stays valid");
  promise(same_shape(before, after), "and keeps its shape");
  return 0;
}
