// pin.cc: hashes, differences, and invisible characters.
#include "mcp/pin.h"

#include <sodium/crypto_hash_sha256.h>
#include <sodium/utils.h>

#include <array>
#include <utility>

#include "base/line_diff.h"
#include "base/text.h"
#include "base/try.h"
#include "base/utf8.h"

namespace pinfold::mcp {
namespace {

constexpr std::string_view kPrefix = "sha256/v1:";
constexpr std::size_t kContextLines = 1;
constexpr std::size_t kMostShown = 400;

Pin pin_text(std::string text) {
  std::array<unsigned char, crypto_hash_sha256_BYTES> digest{};
  crypto_hash_sha256(digest.data(), reinterpret_cast<const unsigned char*>(text.data()), text.size());
  std::array<char, 2 * crypto_hash_sha256_BYTES + 1> hex{};
  ::sodium_bin2hex(hex.data(), hex.size(), digest.data(), digest.size());
  return {std::string(kPrefix) + hex.data(), std::move(text)};
}

Result<Pin> read_pin(const Json& from) {
  Pin pin{text_member(from, "hash"), text_member(from, "text")};
  if (pin_text(pin.text) != pin) return fail(ErrorKind::kRefused, "the hash of a pin does not match its text");
  return pin;
}

// One line for each value, so that a difference shows only the values that differ.
std::string spread(const Pin& pin) {
  const auto value = read_json(pin.text);
  return value ? value->dump(2, ' ', false, Json::error_handler_t::replace) : pin.text;
}

std::vector<std::string> difference(const Pin& before, const Pin& after) {
  std::vector<std::string> out;
  for (const DiffLine& each : line_diff(spread(before), spread(after), kContextLines)) {
    const char* mark = each.change == Change::kRemoved ? "- " : each.change == Change::kAdded ? "+ " : "  ";
    out.push_back(mark + text::shown(each.text));
  }
  return out;
}

void add_hidden(std::vector<std::string>& out, const std::string& where, const Json& value) {
  for (std::string& each : hidden_characters(where, value.is_string() ? value.get_ref<const std::string&>() : ""))
    out.push_back(std::move(each));
  if (!value.is_structured()) return;
  for (const auto& [key, inner] : value.items()) {
    if (value.is_object())
      for (std::string& each : hidden_characters("a key of " + where, key)) out.push_back(std::move(each));
    add_hidden(out, where, inner);
  }
}

}  // namespace

Pin pin_of(std::string_view install_id, const Tool& tool) {
  Json content = {{"installId", install_id},
                  {"name", tool.name},
                  {"title", tool.title},
                  {"description", tool.description},
                  {"inputSchema", tool.input_schema},
                  {"outputSchema", tool.output_schema},
                  {"annotations", tool.annotations}};
  return pin_text(canonical(content));
}

Pins pins_of(std::string_view install_id, const std::vector<Tool>& tools, std::string_view instructions) {
  Pins out;
  for (const Tool& each : tools) out.tools.emplace(each.name, pin_of(install_id, each));
  out.instructions = pin_text(canonical(Json{{"installId", install_id}, {"instructions", instructions}}));
  return out;
}

std::string write_pins(const Pins& pins) {
  const auto pin_json = [](const Pin& pin) { return Json{{"hash", pin.hash}, {"text", pin.text}}; };
  Json tools = Json::array();
  for (const auto& [name, pin] : pins.tools) {
    Json one = pin_json(pin);
    one["name"] = name;
    tools.push_back(std::move(one));
  }
  return Json{{"version", 1}, {"instructions", pin_json(pins.instructions)}, {"tools", std::move(tools)}}.dump(
             1, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

Result<Pins> read_pins(std::string_view text) {
  PF_TRY(json, read_json(text), "reading pins");
  const Json* version = member(json, "version");
  const Json* tools = member(json, "tools");
  const Json* instructions = member(json, "instructions");
  if (version == nullptr || *version != 1 || tools == nullptr || !tools->is_array() || instructions == nullptr)
    return fail(ErrorKind::kRefused, "the pins have an unknown version");
  Pins out;
  PF_TRY(content, read_pin(*instructions), "reading pins");
  out.instructions = std::move(content);
  for (const Json& each : *tools) {
    PF_TRY(pin, read_pin(each), "reading pins");
    const std::string name = text_member(each, "name");
    const auto pinned = read_json(pin.text);
    if (name.empty() || !pinned || text_member(*pinned, "name") != name || !out.tools.emplace(name, pin).second)
      return fail(ErrorKind::kRefused, "a pin is of another tool than it names, or exists twice");
  }
  return out;
}

std::vector<PinChange> compare_pins(const Pins& approved, const Pins& now) {
  std::vector<PinChange> out;
  if (approved.instructions != now.instructions)
    out.push_back({PinChange::Kind::kChanged, "", difference(approved.instructions, now.instructions)});
  for (const auto& [name, pin] : now.tools) {
    const auto before = approved.tools.find(name);
    if (before == approved.tools.end())
      out.push_back({PinChange::Kind::kNew, name, difference(Pin{"", "{}"}, pin)});
    else if (before->second != pin)
      out.push_back({PinChange::Kind::kChanged, name, difference(before->second, pin)});
  }
  for (const auto& [name, pin] : approved.tools)
    if (!now.tools.contains(name)) out.push_back({PinChange::Kind::kGone, name, {}});
  return out;
}

std::vector<std::string> hidden_characters(std::string_view where, std::string_view text) {
  std::string plain(text);
  for (char& byte : plain)
    if (byte == '\n' || byte == '\r' || byte == '\t') byte = ' ';
  const std::string shown = text::shown(plain);
  if (shown == plain) return {};
  const std::string_view head = utf8_head(shown, kMostShown);
  return {std::string(where) + ": " + std::string(head) + (head.size() < shown.size() ? "…" : "")};
}

std::vector<std::string> hidden_characters(const Tool& tool) {
  std::vector<std::string> out;
  add_hidden(out, "name", tool.name);
  add_hidden(out, "title", tool.title);
  add_hidden(out, "description", tool.description);
  add_hidden(out, "inputSchema", tool.input_schema);
  add_hidden(out, "outputSchema", tool.output_schema);
  add_hidden(out, "annotations", tool.annotations);
  return out;
}

}  // namespace pinfold::mcp
