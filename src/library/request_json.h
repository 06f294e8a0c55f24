// request_json.h: requests and answers of the C API as JSON.
// Invariant: a key that is not known is an error, never ignored; an answer is always valid JSON in UTF-8.
// Not here: memory and handles (c_api.cc), the policy's own keys (policy/keys.h).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "pinfold/advice.h"
#include "pinfold/redact.h"
#include "pinfold/run.h"
#include "pinfold/scope.h"

namespace pinfold::library {

struct WireRequest {
  Command command;
  std::string policy = "{}";  // JSON
  LoadOptions sources;        // without the policy
  bool has_sources = false;
};

Result<WireRequest> read_request(std::string_view json);

// A redactor as the options of pinfold_redact() want it.
Result<Redactor> read_redactor(std::string_view options_json);
Result<advice::Shell> read_shell(std::string_view name);

std::string answer(const Ran& ran, Output output);
std::string answer(const std::vector<Coverage>& rows, OnUnavailable on_unavailable);
std::string answer(const PathDecision& decision);
std::string answer(const Policy& policy);
std::string answer(const advice::Advice& advice);
std::string answer(const std::string& redacted, const std::map<std::string, std::uint64_t>& counts);
std::string answer(const Error& error);
std::string question_text(const Question& question);

}  // namespace pinfold::library
