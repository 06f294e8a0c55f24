// request_json.cc: converts requests and responses from and to JSON.
#include "library/request_json.h"

#include <cstdint>

#include <nlohmann/json.hpp>

#include "base/edit_distance.h"
#include "base/encode.h"
#include "base/text.h"
#include "base/try.h"
#include "base/utf8.h"
#include "policy/print.h"
#include "report/render.h"

namespace pinfold::library {
namespace {

using nlohmann::json;
using Json = nlohmann::ordered_json;
using text::shown;

constexpr int kDeepest = 32;  // deeper than any valid request; dump() recurses once for each level

tl::unexpected<Error> wrong(std::string_view key, std::string_view want) {
  return fail(ErrorKind::kInvalid, "request: " + std::string(key) + " must be " + std::string(want));
}

Result<json> parse(std::string_view text) {
  bool too_deep = false;
  const auto watch = [&](int depth, json::parse_event_t, json&) {
    too_deep = too_deep || depth > kDeepest;
    return !too_deep;
  };
  json root = json::parse(text, watch, false);
  if (too_deep) return fail(ErrorKind::kInvalid, "request: nested too deeply");
  if (root.is_discarded()) return fail(ErrorKind::kInvalid, "request: not valid JSON");
  if (!root.is_object()) return fail(ErrorKind::kInvalid, "request: not a JSON object");
  return root;
}

Result<std::vector<std::string>> strings(std::string_view key, const json& value) {
  std::vector<std::string> out;
  if (!value.is_array()) return wrong(key, "a list of strings");
  for (const json& one : value) {
    if (!one.is_string()) return wrong(key, "a list of strings");
    out.push_back(one.get<std::string>());
  }
  return out;
}

Result<void> take_sources(const json& value, WireRequest& out) {
  PF_TRY(names, strings("sources", value));
  for (const std::string& name : names) {
    if (name == "user")
      out.sources.user_file = true;
    else if (name == "project")
      out.sources.project_file = true;
    else if (name == "environment")
      out.sources.environment = true;
    else
      return fail(ErrorKind::kInvalid, "request: there is no source \"" + shown(name) + "\"",
                  "use user, project, environment");
    out.has_sources = true;
  }
  return {};
}

Result<void> take(const std::string& key, const json& value, WireRequest& out) {
  if (key == "argv") {
    PF_TRY(argv, strings(key, value));
    out.command.argv = std::move(argv);
  } else if (key == "policy") {
    if (!value.is_object()) return wrong(key, "an object");
    out.policy = value.dump();
  } else if (key == "sources") {
    return take_sources(value, out);
  } else if (key == "cwd") {
    if (!value.is_string()) return wrong(key, "a string");
    out.command.working_dir = value.get<std::string>();
  } else if (key == "capture") {
    if (!value.is_boolean()) return wrong(key, "true or false");
    out.command.output = value.get<bool>() ? Output::kCapture : Output::kPass;
  } else if (key == "input") {
    if (!value.is_string()) return wrong(key, "a string");
    out.command.input = value.get<std::string>();
  } else if (key == "ask") {
    if (!value.is_boolean()) return wrong(key, "true or false");
    out.command.ask = value.get<bool>();
  } else if (key == "capture_limit") {
    if (!value.is_number_unsigned()) return wrong(key, "a number of bytes");
    out.command.capture_limit = value.get<std::size_t>();
  } else {
    const auto near =
        closest_word(key, {"argv", "policy", "sources", "cwd", "capture", "input", "capture_limit", "ask"});
    return fail(ErrorKind::kInvalid, "request: there is no key \"" + shown(key) + "\"",
                near ? "did you mean " + std::string(*near) + "?" : "see pinfold.h for all keys");
  }
  return {};
}

std::string_view name_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kInvalid: return "invalid";
    case ErrorKind::kRefused: return "refused";
    case ErrorKind::kNotFound: return "not_found";
    case ErrorKind::kUnavailable: return "unavailable";
    case ErrorKind::kSystem: break;
  }
  return "system";
}

std::string_view name_of(Access access) {
  return access == Access::kHide ? "hidden" : access == Access::kRead ? "read" : "write";
}

void add_bytes(Json& out, const std::string& name, const std::string& bytes) {
  out[name] = valid_utf8(bytes);
  if (!is_utf8(bytes)) out[name + "_base64"] = base64(bytes);
}

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(valid_utf8(text)); }

// `head` with another member whose value is JSON text.
std::string with(const Json& head, std::string_view name, std::string_view value) {
  std::string out = head.dump();
  out.pop_back();
  out += ",\"" + std::string(name) + "\":";
  while (value.ends_with('\n')) value.remove_suffix(1);
  return out.append(value) + "}";
}

}  // namespace

Result<WireRequest> read_request(std::string_view text) {
  PF_TRY(root, parse(text));
  WireRequest out;
  for (const auto& [key, value] : root.items()) PF_CHECK(take(key, value, out));
  return out;
}

std::string response(const RunResult& result, Output output) {
  Json out = {{"ok", true}};
  if (output == Output::kCapture) {
    add_bytes(out, "stdout", result.out);
    add_bytes(out, "stderr", result.err);
    out["truncated"] = result.truncated;
  }
  return with(out, "report", to_json(result.report));
}

std::string response(const std::vector<Coverage>& rows, OnUnavailable on_unavailable) {
  const bool would_run = gaps_that_refuse(rows).empty() || on_unavailable == OnUnavailable::kWarn;
  return with({{"ok", true}, {"would_run", would_run}}, "coverage", report::coverage_json_text(rows));
}

std::string response(const PathDecision& decision) {
  const Json out = {{"ok", true},
                    {"path", valid_utf8(decision.path)},
                    {"access", name_of(decision.access)},
                    {"rule", valid_utf8(decision.rule)},
                    {"origin", text_or_null(decision.origin.where)},
                    {"allow_with", text_or_null(decision.allow_with)}};
  return out.dump();
}

std::string response(const Policy& policy) { return with({{"ok", true}}, "policy", policy::to_json(policy)); }

std::string response(const Error& error) {
  const Json out = {
      {"ok", false},
      {"error",
       {{"kind", name_of(error.kind())}, {"message", valid_utf8(error.text())}, {"fix", text_or_null(error.fix())}}}};
  return out.dump();
}

namespace {

constexpr std::array kGrantKinds = {"read", "write", "net"};
constexpr std::array kRiskLevels = {"low", "medium", "high"};

std::string approval_request_text(const ApprovalRequest& request) {
  Json out = {
      {"kind", "access"},
      {"id", request.id},
      {"operation", request.operation},
      {"resource", valid_utf8(request.resource)},
      {"named", text_or_null(valid_utf8(request.named))},
      {"program", text_or_null(valid_utf8(request.program))},
      {"pid", request.pid},
      {"rule", valid_utf8(request.rule)},
      {"grant", nullptr},
      {"once", request.once},
      {"risk", {{"level", kRiskLevels[static_cast<std::size_t>(request.risk.level)]}, {"words", request.risk.words}}}};
  if (request.grant)
    out["grant"] = {{"kind", kGrantKinds[static_cast<std::size_t>(request.grant->kind)]},
                    {"resource", valid_utf8(request.grant->resource)}};
  return out.dump();
}

}  // namespace

std::string request_text(const DecisionRequest& request) {
  if (const auto* access = std::get_if<ApprovalRequest>(&request)) return approval_request_text(*access);
  const auto& gap = std::get<GapRequest>(request);
  Json fixes = Json::array();
  for (const std::string& fix : gap.fixes) fixes.push_back(valid_utf8(fix));
  return with({{"kind", "gap"}, {"backend", valid_utf8(gap.backend)}, {"fixes", std::move(fixes)}}, "gaps",
              report::coverage_json_text(gap.gaps));
}

}  // namespace pinfold::library
