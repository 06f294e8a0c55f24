// fields.h: reads a JSON object strictly, and writes bytes as JSON.
// Invariant: the first problem stays; after it everything reads as empty. An object with a word that nobody asked for
// is a problem, too. Not here: which words there are (message.cc).
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "pinfold/result.h"

namespace pinfold::control {

using Json = nlohmann::ordered_json;

Json bytes_json(std::string_view bytes);

class Fields {
 public:
  explicit Fields(const Json& object);

  std::string bytes(const char* key);
  std::int64_t number(const char* key, std::int64_t least, std::int64_t most);
  std::uint64_t count(const char* key) {
    return static_cast<std::uint64_t>(number(key, 0, std::numeric_limits<std::int64_t>::max()));
  }
  bool flag(const char* key);
  // A word of this list, as its place in it.
  std::size_t word(const char* key, const std::vector<std::string_view>& words);
  const Json& value(const char* key);
  const Json& list(const char* key, std::size_t longest);
  bool has(const char* key) const { return object_.is_object() && object_.contains(key); }

  // A problem of an object inside.
  void take(const Result<void>& inner);
  void refuse(std::string why);
  bool is_fine() const { return problem_.empty(); }
  // Nothing was wrong, and nothing was left unread.
  Result<void> finish();

 private:
  const Json& object_;
  std::size_t read_ = 0;
  std::string problem_;
};

std::string bytes_of(const Json& value, Fields& blame);

}  // namespace pinfold::control
