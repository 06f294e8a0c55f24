// print_json.cc: a policy as one JSON object, every rule with its origin.
// Invariant: never a variable's value: it may be a secret.
// Not here: TOML (print.cc).
#include <nlohmann/json.hpp>

#include "base/domain.h"
#include "policy/print.h"
#include "policy/rank.h"

namespace pinfold::policy {
namespace {

using Json = nlohmann::ordered_json;

const char* name_of(Access access) {
  switch (access) {
    case Access::kRead: return "read";
    case Access::kWrite: return "write";
    case Access::kHide: break;
  }
  return "hide";
}

const char* name_of(Source source) {
  switch (source) {
    case Source::kPreset: return "preset";
    case Source::kUserFile: return "user_file";
    case Source::kProjectFile: return "project_file";
    case Source::kEnvironment: return "environment";
    case Source::kFlag: return "flag";
    case Source::kApi: break;
  }
  return "api";
}

const char* name_of(OnUnavailable answer) {
  switch (answer) {
    case OnUnavailable::kPrompt: return "prompt";
    case OnUnavailable::kWarn: return "warn";
    case OnUnavailable::kDeny: break;
  }
  return "deny";
}

Json with_origin(Json body, const Origin& origin) {
  body["source"] = is_grant(origin) ? "grant" : name_of(origin.source);
  body["origin"] = origin.where;
  return body;
}

Json limits_of(const Limits& limits) {
  Json out = Json::object();
  const auto time = [&](const char* name, const auto& limit) {
    if (limit) out[name] = with_origin({{"milliseconds", limit->value.count()}}, limit->origin);
  };
  const auto count = [&](const char* name, const char* unit, const auto& limit) {
    if (limit) out[name] = with_origin({{unit, limit->value}}, limit->origin);
  };
  time("timeout", limits.wall_time);
  count("memory", "bytes", limits.memory);
  count("processes", "count", limits.processes);
  time("cpu_time", limits.cpu_time);
  count("file_size", "bytes", limits.file_size);
  count("output_limit", "bytes", limits.output_size);
  return out;
}

}  // namespace

std::string to_json(const Policy& policy) {
  Json out;
  out["profile"] = policy.custom.empty() ? policy.profile : policy.custom;
  out["preset"] = policy.profile;
  out["workspaces"] = policy.workspaces;
  out["workspace_access"] = with_origin({{"value", name_of(policy.workspace_access)}}, policy.workspace_access_origin);
  out["paths"] = Json::array();
  for (const PathRule& rule : policy.paths)
    out["paths"].push_back(with_origin({{"access", name_of(rule.access)},
                                        {"path", rule.path},
                                        {"optional", rule.missing == Missing::kSkip},
                                        {"workspace", rule.workspace}},
                                       rule.origin));
  out["patterns"] = Json::array();
  for (const HidePattern& rule : policy.patterns)
    out["patterns"].push_back(with_origin({{"hide", rule.glob}}, rule.origin));
  out["protect"] = Json::array();
  for (const ProtectRule& rule : policy.protect)
    out["protect"].push_back(with_origin({{"name", rule.name}}, rule.origin));
  out["home"] = with_origin({{"value", policy.home == HomeMode::kHost ? "host" : "hidden"}}, policy.home_origin);
  out["tmp"] = with_origin({{"value", policy.tmp == TmpMode::kHost ? "host" : "private"}}, policy.tmp_origin);
  const char* const network = policy.network.mode == NetworkMode::kFull      ? "full"
                              : policy.network.mode == NetworkMode::kDomains ? "domains"
                                                                             : "none";
  Json domains = Json::array();
  for (const DomainRule& rule : policy.network.domains)
    domains.push_back(with_origin({{"rule", print_rule(rule)}}, rule.origin));
  out["network"] = with_origin({{"mode", network}, {"domains", std::move(domains)}}, policy.network.origin);
  out["resolve"] = Json::array();
  for (const HostAddresses& one : policy.hosts)
    out["resolve"].push_back(with_origin({{"host", print_hosts(one)}}, one.origin));
  const char* const exec = policy.exec.mode == ExecMode::kAny    ? "any"
                           : policy.exec.mode == ExecMode::kList ? "list"
                                                                 : "none";
  out["exec"] = with_origin({{"mode", exec}, {"commands", policy.exec.commands}}, policy.exec.origin);
  out["env"] = Json::array();
  for (const EnvRule& rule : policy.environment)
    out["env"].push_back(with_origin({{"name", rule.name}, {"set", rule.value.has_value()}}, rule.origin));
  out["limits"] = limits_of(policy.limits);
  out["new_session"] = with_origin({{"value", policy.session == SessionMode::kNew}}, policy.session_origin);
  out["share_pid"] = with_origin({{"value", policy.pid == PidMode::kShared}}, policy.pid_origin);
  out["debuggers"] = with_origin({{"value", policy.debuggers == Debuggers::kAllowed}}, policy.debuggers_origin);
  out["observe"] = with_origin({{"value", observe_word(policy.observe)}}, policy.observe_origin);
  out["ignored"] = with_origin({{"value", ignored_word(policy.ignored)}}, policy.ignored_origin);
  out["allow_absolute"] =
      with_origin({{"value", policy.absolute_paths == AbsolutePaths::kAccepted}}, policy.absolute_paths_origin);
  out["on_unavailable"] = with_origin({{"value", name_of(policy.on_unavailable)}}, policy.on_unavailable_origin);
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace pinfold::policy
