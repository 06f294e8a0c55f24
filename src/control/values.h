// values.h: the values in messages (errors, denials, approval requests, grants, usage…), to JSON and back.
// Not here: the messages (message.cc).
#pragma once

#include <optional>
#include <vector>

#include "backend/backend.h"
#include "control/fields.h"
#include "control/message.h"
#include "pinfold/coverage.h"
#include "pinfold/report.h"

namespace pinfold::control {

Json json_of(const Error& error);
Json json_of(const Denial& denial);
Json json_of(const std::vector<Denial>& denials);
Json json_of(const Usage& usage);
Json json_of(const backend::TreeUsage& usage);
Json json_of(const LimitStep& limit);
Json json_of(const std::vector<LimitStep>& limits);
Json json_of(const Coverage& row);
Json json_of(const std::vector<Coverage>& rows);
Json json_of(const ApprovalRequest& request);
Json json_of(const Connection& connection);
Json json_of(const std::vector<GrantInForce>& grants);
std::string word_of(ApprovalDecision decision);

// `blame` gets the problems of the nested value.
Error read_error(const Json& json, Fields& blame);
Denial read_denial(const Json& json, Fields& blame);
std::vector<Denial> read_denials(const Json& list, Fields& blame);
Usage read_usage(const Json& json, Fields& blame);
std::optional<backend::TreeUsage> read_tree_usage(const Json& json, Fields& blame);  // null: none
std::vector<LimitStep> read_limits(const Json& list, Fields& blame);
std::vector<Coverage> read_coverage(const Json& list, Fields& blame);
ApprovalRequest read_approval_request(const Json& json, Fields& blame);
Connection read_connection(const Json& json, Fields& blame);
std::vector<GrantInForce> read_grants(const Json& list, Fields& blame);
ApprovalDecision read_decision(Fields& fields, const char* key);

}  // namespace pinfold::control
