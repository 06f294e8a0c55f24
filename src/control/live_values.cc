// live_values.cc: approval requests, decisions, grants and connections, to JSON and back.
// Not here: the other values (values.cc), the messages (message.cc).
#include <chrono>
#include <cstdint>
#include <string_view>
#include <utility>

#include "control/values.h"

namespace pinfold::control {
namespace {

const std::vector<std::string_view> kDecisions = {"deny", "once", "session", "always"};
const std::vector<std::string_view> kGrants = {"read", "write", "network"};
const std::vector<std::string_view> kRisks = {"low", "medium", "high"};

template <typename Kind>
std::string_view in_words(const std::vector<std::string_view>& words, Kind kind) {
  return words[static_cast<std::size_t>(kind)];
}

Json json_of(const Grant& grant) {
  return {{"kind", in_words(kGrants, grant.kind)}, {"resource", bytes_json(grant.resource)}};
}

Grant read_grant(const Json& json, Fields& blame) {
  Fields fields(json);
  Grant out;
  out.kind = static_cast<Grant::Kind>(fields.word("kind", kGrants));
  out.resource = fields.bytes("resource");
  blame.take(fields.finish());
  return out;
}

}  // namespace

std::string word_of(ApprovalDecision decision) { return std::string(in_words(kDecisions, decision)); }

ApprovalDecision read_decision(Fields& fields, const char* key) {
  return static_cast<ApprovalDecision>(fields.word(key, kDecisions));
}

Json json_of(const ApprovalRequest& request) {
  return {{"id", request.id},
          {"operation", bytes_json(request.operation)},
          {"resource", bytes_json(request.resource)},
          {"named", bytes_json(request.named)},
          {"program", bytes_json(request.program)},
          {"pid", request.pid},
          {"rule", bytes_json(request.rule)},
          {"grant", request.grant ? json_of(*request.grant) : Json(nullptr)},
          {"once", request.once},
          {"risk", in_words(kRisks, request.risk.level)},
          {"risk_words", bytes_json(request.risk.words)}};
}

ApprovalRequest read_approval_request(const Json& json, Fields& blame) {
  Fields fields(json);
  ApprovalRequest out;
  out.id = fields.count("id");
  out.operation = fields.bytes("operation");
  out.resource = fields.bytes("resource");
  out.named = fields.bytes("named");
  out.program = fields.bytes("program");
  out.pid = static_cast<std::uint32_t>(fields.number("pid", 0, UINT32_MAX));
  out.rule = fields.bytes("rule");
  if (const Json& grant = fields.value("grant"); fields.is_fine() && !grant.is_null())
    out.grant = read_grant(grant, fields);
  out.once = fields.flag("once");
  out.risk.level = static_cast<RiskLevel>(fields.word("risk", kRisks));
  out.risk.words = fields.bytes("risk_words");
  blame.take(fields.finish());
  return out;
}

Json json_of(const Connection& connection) {
  return {{"host", bytes_json(connection.host)},
          {"address", bytes_json(connection.address)},
          {"port", connection.port},
          {"bytes_up", connection.bytes_up},
          {"bytes_down", connection.bytes_down},
          {"duration_ms", connection.duration.count()},
          {"end", bytes_json(connection.end)}};
}

Connection read_connection(const Json& json, Fields& blame) {
  Fields fields(json);
  Connection out;
  out.host = fields.bytes("host");
  out.address = fields.bytes("address");
  out.port = static_cast<std::uint16_t>(fields.number("port", 0, UINT16_MAX));
  out.bytes_up = fields.count("bytes_up");
  out.bytes_down = fields.count("bytes_down");
  out.duration = std::chrono::milliseconds(fields.count("duration_ms"));
  out.end = fields.bytes("end");
  blame.take(fields.finish());
  return out;
}

Json json_of(const std::vector<GrantInForce>& grants) {
  Json out = Json::array();
  for (const GrantInForce& each : grants)
    out.push_back(
        {{"id", each.id}, {"grant", json_of(each.grant)}, {"answer", word_of(each.decision)}, {"since", each.since}});
  return out;
}

std::vector<GrantInForce> read_grants(const Json& list, Fields& blame) {
  std::vector<GrantInForce> out;
  for (const Json& each : list) {
    Fields fields(each);
    GrantInForce grant;
    grant.id = fields.count("id");
    grant.grant = read_grant(fields.value("grant"), fields);
    grant.decision = read_decision(fields, "answer");
    grant.since = fields.number("since", 0, INT64_MAX);
    blame.take(fields.finish());
    out.push_back(std::move(grant));
  }
  return out;
}

}  // namespace pinfold::control
