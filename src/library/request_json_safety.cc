// request_json_safety.cc: converts advice and redaction from and to JSON.
// Not here: requests to run something (request_json.cc).
#include <nlohmann/json.hpp>

#include "base/encode.h"
#include "base/text.h"
#include "base/try.h"
#include "library/request_json.h"
#include "safety/advice/advice_json.h"

namespace pinfold::library {

namespace {

using nlohmann::json;

constexpr std::string_view kOptions = R"({"only": "secrets", "json": true, "values": {"NAME": "value"}})";

tl::unexpected<Error> wrong(const std::string& what) {
  return fail(ErrorKind::kInvalid, "options: " + what, std::string(kOptions));
}

}  // namespace

Result<Redactor> read_redactor(std::string_view options_json) {
  const json options = json::parse(options_json, nullptr, false);
  if (!options.is_object()) return wrong("not a JSON object");
  RedactOnly only = RedactOnly::kEverything;
  RedactText text = RedactText::kPlain;
  for (const auto& [key, value] : options.items()) {
    if (key == "only" && (value == "secrets" || value == "personal")) {
      only = value == "secrets" ? RedactOnly::kSecrets : RedactOnly::kPersonal;
    } else if (key == "json" && value.is_boolean()) {
      text = value.get<bool>() ? RedactText::kJson : RedactText::kPlain;
    } else if (key != "values" || !value.is_object()) {
      return wrong("\"" + text::shown(key) + "\" is not an option, or has an invalid value");
    }
  }
  PF_TRY(redactor, Redactor::create(only, text));
  const json values = options.value("values", json::object());
  for (const auto& [name, value] : values.items()) {
    if (!value.is_string()) return wrong("the value of " + text::shown(name) + " is not a string");
    PF_CHECK(redactor.add_value(name, value.get<std::string>()), "options");
  }
  return redactor;
}

Result<advice::Shell> read_shell(std::string_view name) {
  if (const auto shell = advice::shell_called(name)) return *shell;
  return fail(ErrorKind::kInvalid, text::shown(name) + " is not a supported shell", "auto, bash or powershell");
}

std::string response(const advice::Advice& advice) { return R"({"ok":true,)" + advice::json_members(advice) + "}"; }

std::string response(const std::string& redacted, const std::map<std::string, std::uint64_t>& counts) {
  const nlohmann::ordered_json out = {{"ok", true}, {"text", valid_utf8(redacted)}, {"counts", counts}};
  return out.dump();
}

}  // namespace pinfold::library
