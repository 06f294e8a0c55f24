// request_json.h: requests and responses of the C API as JSON.
// Invariant: an unknown key is an error; a response is always valid JSON in UTF-8.
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

// A redactor with the options of pinfold_redact().
Result<Redactor> read_redactor(std::string_view options_json);
Result<advice::Shell> read_shell(std::string_view name);

std::string response(const RunResult& result, Output output);
std::string response(const std::vector<Coverage>& rows, OnUnavailable on_unavailable);
std::string response(const PathDecision& decision);
std::string response(const Policy& policy);
std::string response(const advice::Advice& advice);
std::string response(const std::string& redacted, const std::map<std::string, std::uint64_t>& counts);
std::string response(const Error& error);
std::string request_text(const DecisionRequest& request);

}  // namespace pinfold::library
