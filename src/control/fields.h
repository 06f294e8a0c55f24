// fields.h: parses a JSON object strictly, and writes bytes as JSON.
// Invariant: the first problem is kept; after it every read returns an empty value. A key that was not read is a
// problem, too. Not here: the keys (message.cc).
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
  // The index in `words` of the field's value.
  std::size_t word(const char* key, const std::vector<std::string_view>& words);
  const Json& value(const char* key);
  const Json& list(const char* key, std::size_t longest);
  bool has(const char* key) const { return object_.is_object() && object_.contains(key); }

  // Takes over the problem of a nested object.
  void take(const Result<void>& inner);
  void refuse(std::string why);
  bool is_fine() const { return problem_.empty(); }
  // An error if there was a problem, or if a key was not read.
  Result<void> finish();

 private:
  const Json& object_;
  std::size_t read_ = 0;
  std::string problem_;
};

std::string bytes_of(const Json& value, Fields& blame);

}  // namespace pinfold::control
