// json.cc: a report as one JSON object, as docs/reference/report.schema.json describes it.
// Invariant: always valid JSON in UTF-8, for any bytes that the command named; a name that is not UTF-8 is also given
// whole, as base64. Not here: writing the file (cli/report_file.cc).
#include <cmath>
#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

#include "base/encode.h"
#include "base/timestamp.h"
#include "base/utf8.h"
#include "report/outcome.h"
#include "report/render.h"

namespace pinfold {

namespace {

using Json = nlohmann::ordered_json;

std::string text(std::string_view bytes) { return valid_utf8(bytes); }

Json text_or_null(const std::string& value) { return value.empty() ? Json(nullptr) : Json(text(value)); }

struct OutcomeJson {
  Json operator()(const Exited& o) const { return {{"kind", "exited"}, {"code", o.code}}; }
  Json operator()(const Signaled& o) const {
    return {{"kind", "signaled"},
            {"signal", o.signal},
            {"name", report::signal_name(o.signal)},
            {"by", text_or_null(o.by)}};
  }
  Json operator()(const TimedOut& o) const { return {{"kind", "timed_out"}, {"after_ms", o.after.count()}}; }
  Json operator()(const Refused& o) const {
    return {{"kind", "refused"}, {"by", name_of(o.by)}, {"reason", text(o.reason)}, {"fix", text_or_null(o.fix)}};
  }
  Json operator()(const SetupFailed& o) const {
    return {{"kind", "setup_failed"},
            {"stage", o.stage == SetupStage::kNotFound ? "not_found" : "sandbox"},
            {"reason", text(o.reason)},
            {"fix", text_or_null(o.fix)}};
  }
};

const char* name_of(Strength strength) {
  switch (strength) {
    case Strength::kEnforced: return "enforced";
    case Strength::kPartial: return "partial";
    case Strength::kAbsent: break;
  }
  return "absent";
}

const char* name_of(DenialSource source) {
  switch (source) {
    case DenialSource::kKernel: return "kernel";
    case DenialSource::kObserved: return "observed";
    case DenialSource::kInferred: break;
  }
  return "inferred";
}

Json coverage_json(const Coverage& row) {
  return {{"step", text(row.step)},
          {"required", row.need == Need::kRequired},
          {"strength", name_of(row.strength)},
          {"mechanism", text(row.mechanism)},
          {"gap", text_or_null(row.gap)},
          {"fix", text_or_null(row.fix)}};
}

Json candidate_json(const Candidate& candidate) {
  return {{"backend", text(candidate.backend)},
          {"chosen", candidate.chosen},
          {"stands", candidate.usable},
          {"why", text(candidate.why)},
          {"fix", text_or_null(candidate.fix)}};
}

Json denial_json(const Denial& denial) {
  Json out = {{"operation", text(denial.operation)}, {"resource", text(denial.resource)}};
  if (!is_utf8(denial.resource)) out["resource_bytes"] = base64(denial.resource);
  out["rule"] = text(denial.rule);
  out["allow_with"] = text_or_null(denial.allow_with);
  out["source"] = name_of(denial.source);
  out["count"] = denial.count;
  out["named"] = text_or_null(denial.named);
  if (!is_utf8(denial.named)) out["named_bytes"] = base64(denial.named);
  out["pid"] = denial.pid == 0 ? Json(nullptr) : Json(denial.pid);
  out["program"] = text_or_null(denial.program);
  if (denial.operation != "connect" && denial.operation != "send") return out;
  out["host"] = text_or_null(denial.host);
  out["address"] = text_or_null(denial.address);
  out["port"] = denial.port == 0 ? Json() : Json(denial.port);
  return out;
}

Json connection_json(const Connection& connection) {
  return {{"host", text_or_null(connection.host)},
          {"address", text_or_null(connection.address)},
          {"port", connection.port},
          {"bytes_up", connection.bytes_up},
          {"bytes_down", connection.bytes_down},
          {"duration_ms", connection.duration.count()},
          {"end", text(connection.end)}};
}

double milliseconds(std::chrono::microseconds span) { return static_cast<double>(span.count()) / 1000.0; }

Json rows_json(const std::vector<Coverage>& rows) {
  Json out = Json::array();
  for (const Coverage& row : rows) out.push_back(coverage_json(row));
  return out;
}

}  // namespace

std::string report::coverage_json_text(const std::vector<Coverage>& rows) { return rows_json(rows).dump(); }
std::string report::denial_json_text(const Denial& denial) { return denial_json(denial).dump(); }
std::string report::outcome_json_text(const Outcome& outcome) { return std::visit(OutcomeJson{}, outcome).dump(); }

std::string to_json(const Report& report) {
  Json denials = Json::array();
  for (const Denial& denial : report.denials) denials.push_back(denial_json(denial));
  Json connections = Json::array();
  for (const Connection& one : report.connections) connections.push_back(connection_json(one));
  Json notes = Json::array();
  for (const std::string& note : report.notes) notes.push_back(text(note));

  Json fixes = Json::array();
  for (const std::string& fix : report.fixes) fixes.push_back(text(fix));
  Json choice = Json::array();
  for (const Candidate& one : report.choice) choice.push_back(candidate_json(one));

  const Json root = {{"schema", "pinfold.report/1"},
                     {"outcome", std::visit(OutcomeJson{}, report.outcome)},
                     {"exit_code", exit_code(report.outcome)},
                     {"backend", text_or_null(report.backend)},
                     {"choice", std::move(choice)},
                     {"coverage", rows_json(report.coverage)},
                     {"accepted_gaps", rows_json(report.accepted_gaps)},
                     {"fixes", std::move(fixes)},
                     {"denials", std::move(denials)},
                     {"connections", std::move(connections)},
                     {"more_connections", report.more_connections},
                     {"notes", std::move(notes)},
                     {"usage",
                      {{"wall_ms", milliseconds(report.usage.wall)},
                       {"cpu_ms", milliseconds(report.usage.cpu)},
                       {"peak_memory_bytes", report.usage.peak_memory},
                       {"processes", report.usage.processes},
                       {"trapped_calls", report.usage.trapped_calls}}},
                     {"started_at", timestamp(report.started_at)}};
  return root.dump(2) + "\n";
}

}  // namespace pinfold
