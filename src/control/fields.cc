// fields.cc: reads and checks one key at a time.
#include "control/fields.h"

#include <algorithm>
#include <utility>

#include "base/encode.h"
#include "base/text.h"
#include "base/utf8.h"

namespace pinfold::control {
namespace {

const Json kNothing;
constexpr const char* kEncoded = "base64";

}  // namespace

Json bytes_json(std::string_view bytes) {
  if (is_utf8(bytes)) return std::string(bytes);
  return Json{{kEncoded, base64(bytes)}};
}

std::string bytes_of(const Json& value, Fields& blame) {
  if (value.is_string()) return value.get<std::string>();
  const bool encoded =
      value.is_object() && value.size() == 1 && value.contains(kEncoded) && value[kEncoded].is_string();
  auto bytes = encoded ? from_base64(value[kEncoded].get_ref<const std::string&>()) : std::nullopt;
  if (!bytes) blame.refuse("neither text nor base64");
  return bytes.value_or(std::string());
}

Fields::Fields(const Json& object) : object_(object) {
  if (!object.is_object()) refuse("not an object");
}

void Fields::refuse(std::string why) {
  if (problem_.empty()) problem_ = std::move(why);
}

void Fields::take(const Result<void>& inner) {
  if (!inner) refuse(inner.error().text());
}

const Json& Fields::value(const char* key) {
  if (!is_fine()) return kNothing;
  const auto found = object_.find(key);
  if (found == object_.end()) {
    refuse(std::string(key) + " is missing");
    return kNothing;
  }
  ++read_;
  return *found;
}

std::string Fields::bytes(const char* key) {
  const Json& found = value(key);
  return is_fine() ? bytes_of(found, *this) : std::string();
}

std::int64_t Fields::number(const char* key, std::int64_t least, std::int64_t most) {
  const Json& found = value(key);
  if (!is_fine()) return least;
  const bool small =
      found.is_number_integer() && (!found.is_number_unsigned() || found.get<std::uint64_t>() <= INT64_MAX);
  const std::int64_t number = small ? found.get<std::int64_t>() : 0;
  if (small && number >= least && number <= most) return number;
  refuse(std::string(key) + " is not a number from " + std::to_string(least) + " to " + std::to_string(most));
  return least;
}

bool Fields::flag(const char* key) {
  const Json& found = value(key);
  if (is_fine() && !found.is_boolean()) refuse(std::string(key) + " is neither true nor false");
  return is_fine() && found.get<bool>();
}

std::size_t Fields::word(const char* key, const std::vector<std::string_view>& words) {
  const std::string word = bytes(key);
  const auto found = std::find(words.begin(), words.end(), word);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  refuse(std::string(key) + ": unknown value " + text::shown(word.substr(0, 40)));
  return 0;
}

const Json& Fields::list(const char* key, std::size_t longest) {
  const Json& found = value(key);
  if (is_fine() && (!found.is_array() || found.size() > longest))
    refuse(std::string(key) + " is not a list, or is too long");
  return is_fine() ? found : kNothing;
}

Result<void> Fields::finish() {
  if (is_fine() && object_.size() != read_) refuse("it has an unknown key");
  if (is_fine()) return {};
  return fail(ErrorKind::kInvalid, problem_);
}

}  // namespace pinfold::control
