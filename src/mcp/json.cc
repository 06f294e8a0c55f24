// json.cc: a SAX parser that builds values and stops at the bounds.
// Not here: the grammar and UTF-8, which the library checks.
#include "mcp/json.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/try.h"

namespace pinfold::mcp {
namespace {

using Members = Json::object_t::Container;

class Builder : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return put(nullptr); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(number_integer_t value) override { return put(value); }
  bool number_unsigned(number_unsigned_t value) override { return put(value); }
  bool number_float(number_float_t value, const string_t& digits) override {
    if (open_.size() == 1 && key_ == "id" && digits.find_first_of(".eE") == std::string::npos) out_.id_digits = digits;
    return put(value);
  }
  bool string(string_t& value) override { return put(std::move(value)); }
  bool binary(binary_t& /*value*/) override { return false; }
  bool start_object(std::size_t /*size*/) override { return put(Json::object()) && enter(); }
  bool start_array(std::size_t /*size*/) override { return put(Json::array()) && enter(); }
  bool key(string_t& name) override {
    key_ = std::move(name);
    return true;
  }
  bool end_object() override {
    if (has_duplicate_keys(*open_.back()->get_ptr<Json::object_t*>())) return stop("an object has a key twice");
    return end_array();
  }
  bool end_array() override {
    open_.pop_back();
    return true;
  }
  bool parse_error(std::size_t at, const std::string& /*token*/, const nlohmann::detail::exception& /*why*/) override {
    return stop("it is not JSON at byte " + std::to_string(at));
  }

  JsonText take() { return std::move(out_); }
  const std::string& problem() const { return problem_; }

 private:
  template <typename Value>
  bool put(Value&& value) {
    if (++values_ > kMostValues) return stop("it has more than a million values");
    if (open_.empty()) {
      out_.value = std::forward<Value>(value);
      last_ = &out_.value;
    } else if (auto* list = open_.back()->template get_ptr<Json::array_t*>()) {
      last_ = &list->emplace_back(std::forward<Value>(value));
    } else {
      // Not with the map's own insertion, which compares the key with every member.
      Members& members = *open_.back()->template get_ptr<Json::object_t*>();
      last_ = &members.emplace_back(std::move(key_), Json(std::forward<Value>(value))).second;
    }
    return true;
  }
  bool enter() {
    if (open_.size() == kDeepest) return stop("it is nested too deeply");
    open_.push_back(last_);
    return true;
  }
  bool stop(std::string why) {
    if (problem_.empty()) problem_ = std::move(why);
    return false;
  }
  static bool has_duplicate_keys(const Members& members) {
    if (members.size() < 2) return false;
    std::vector<std::string_view> names;
    names.reserve(members.size());
    for (const auto& [name, value] : members) names.emplace_back(name);
    std::sort(names.begin(), names.end());
    return std::adjacent_find(names.begin(), names.end()) != names.end();
  }

  JsonText out_;
  std::vector<Json*> open_;
  Json* last_ = nullptr;
  std::string key_;
  std::size_t values_ = 0;
  std::string problem_;
};

void add_canonical(std::string& out, const Json& value) {
  if (const auto* members = value.get_ptr<const Json::object_t*>()) {
    std::vector<const Members::value_type*> sorted;
    for (const auto& each : *members) sorted.push_back(&each);
    std::sort(sorted.begin(), sorted.end(), [](auto* a, auto* b) { return a->first < b->first; });
    out += '{';
    for (const auto* each : sorted) {
      if (out.back() != '{') out += ',';
      out += write_json(each->first);
      out += ':';
      add_canonical(out, each->second);
    }
    out += '}';
  } else if (value.is_array()) {
    out += '[';
    bool first = true;
    for (const Json& each : value) {
      if (!std::exchange(first, false)) out += ',';
      add_canonical(out, each);
    }
    out += ']';
  } else if (value.is_number_float()) {
    const double number = value.get<double>();
    constexpr double kExact = 9007199254740992.0;  // 2^53: up to here a double represents every integer exactly
    const bool whole = std::abs(number) < kExact && number == std::trunc(number);
    out += write_json(whole ? Json(static_cast<std::int64_t>(number)) : value);
  } else {
    out += write_json(value);
  }
}

}  // namespace

Result<JsonText> read_json_text(std::string_view text) {
  Builder builder;
  if (!Json::sax_parse(text, &builder) || !builder.problem().empty())
    return fail(ErrorKind::kInvalid, builder.problem().empty() ? "it is not JSON" : builder.problem());
  return builder.take();
}

Result<Json> read_json(std::string_view text) {
  PF_TRY(read, read_json_text(text));
  return std::move(read.value);
}

std::string write_json(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string canonical(const Json& value) {
  std::string out;
  add_canonical(out, value);
  return out;
}

const Json* member(const Json& object, std::string_view name) {
  const auto* members = object.get_ptr<const Json::object_t*>();
  if (members == nullptr) return nullptr;
  const auto found =
      std::find_if(members->begin(), members->end(), [&](const auto& each) { return each.first == name; });
  return found == members->end() ? nullptr : &found->second;
}

std::string text_member(const Json& object, std::string_view name) {
  const Json* found = member(object, name);
  return found != nullptr && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace pinfold::mcp
