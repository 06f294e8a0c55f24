// journal_entry_read.cc: parses journal lines.
// Invariant: an incomplete line, another schema and a missing field give nullopt; throws nothing.
// Not here: writing (journal_entry.cc), files (journal_reader.cc).
#include <nlohmann/json.hpp>

#include "session/journal_entry.h"

namespace pinfold::session {
namespace {

using Json = nlohmann::json;

// The fields of one object; a missing field or another type sets `whole` to false.
class Fields {
 public:
  explicit Fields(const Json& object) : object_(object) {}

  std::string text(const char* name) { return read(name, Presence::kRequired).value_or(""); }
  std::string text_or_empty(const char* name) { return read(name, Presence::kOptional).value_or(""); }
  std::int64_t number(const char* name) {
    const auto found = object_.find(name);
    if (found != object_.end() && found->is_number_integer()) return found->get<std::int64_t>();
    whole = false;
    return 0;
  }
  std::vector<std::string> texts(const char* name) {
    std::vector<std::string> out;
    const auto found = object_.find(name);
    whole = whole && found != object_.end() && found->is_array();
    if (!whole) return out;
    for (const Json& one : *found) {
      if (one.is_string())
        out.push_back(one.get<std::string>());
      else
        whole = false;
    }
    return out;
  }

  bool whole = true;

 private:
  enum class Presence { kRequired, kOptional };
  std::optional<std::string> read(const char* name, Presence presence) {
    const auto found = object_.find(name);
    if (found != object_.end() && found->is_string()) return found->get<std::string>();
    const bool absent = found == object_.end() || found->is_null();
    if (presence == Presence::kRequired || !absent) whole = false;
    return std::nullopt;
  }

  const Json& object_;
};

std::optional<Outcome> outcome_of(const Json& object) {
  Fields fields(object);
  const std::string kind = fields.text("kind");
  std::optional<Outcome> out;
  if (kind == "exited") {
    out = Exited{static_cast<int>(fields.number("code"))};
  } else if (kind == "signaled") {
    out = Signaled{static_cast<int>(fields.number("signal")), fields.text_or_empty("by")};
  } else if (kind == "timed_out") {
    out = TimedOut{std::chrono::milliseconds(fields.number("after_ms"))};
  } else if (kind == "refused") {
    const std::string name = fields.text("by");
    RefusedBy by = RefusedBy::kEnforcement;
    for (const RefusedBy one : {RefusedBy::kPolicy, RefusedBy::kAdvice})
      if (name == name_of(one)) by = one;
    out = Refused{by, fields.text("reason"), fields.text_or_empty("fix")};
  } else if (kind == "setup_failed") {
    const SetupStage stage = fields.text("stage") == "not_found" ? SetupStage::kNotFound : SetupStage::kSandbox;
    out = SetupFailed{stage, fields.text("reason"), fields.text_or_empty("fix")};
  }
  return fields.whole ? out : std::nullopt;
}

DenialSource source_of(std::string_view name) {
  if (name == "kernel") return DenialSource::kKernel;
  return name == "observed" ? DenialSource::kObserved : DenialSource::kInferred;
}

std::optional<ApprovalDecision> decision_of(std::string_view name) {
  if (name == "deny") return ApprovalDecision::kDeny;
  if (name == "once") return ApprovalDecision::kOnce;
  if (name == "session") return ApprovalDecision::kSession;
  if (name == "always") return ApprovalDecision::kAlways;
  return std::nullopt;
}

std::optional<JournalEntry> read(const Json& line) {
  Fields fields(line);
  if (fields.text("schema") != kJournalSchema) return std::nullopt;
  const auto time = parse_timestamp(fields.text("time"));
  if (!time) return std::nullopt;
  JournalEntry entry{time->when, fields.text_or_empty("run"), UnknownEntry{fields.text("kind")}};
  const std::string kind = std::get<UnknownEntry>(entry.event).kind;
  if (kind == "start") {
    entry.event = RunStart{fields.texts("argv"), fields.text_or_empty("cwd"), fields.texts("workspaces"),
                           fields.text_or_empty("profile"), fields.number("pid")};
  } else if (kind == "denial") {
    RunDenial denied;
    denied.denial.program = fields.text_or_empty("program");
    denied.denial.operation = fields.text("operation");
    denied.denial.resource = fields.text("resource");
    denied.denial.rule = fields.text_or_empty("rule");
    denied.denial.allow_with = fields.text_or_empty("allow_with");
    denied.denial.source = source_of(fields.text_or_empty("source"));
    denied.denial.count = static_cast<std::uint64_t>(std::max<std::int64_t>(fields.number("count"), 1));
    entry.event = std::move(denied);
  } else if (kind == "use") {
    entry.event = RunHostUse{fields.text("operation"), fields.text("resource"),
                             static_cast<std::uint64_t>(std::max<std::int64_t>(fields.number("bytes"), 0)),
                             fields.text_or_empty("problem")};
  } else if (kind == "end") {
    const auto found = line.find("outcome");
    auto outcome = found != line.end() && found->is_object() ? outcome_of(*found) : std::nullopt;
    if (!outcome) return std::nullopt;
    entry.event = RunEnd{std::move(*outcome), fields.text_or_empty("backend"),
                         std::chrono::milliseconds(fields.number("duration_ms")),
                         static_cast<std::uint64_t>(std::max<std::int64_t>(fields.number("denials"), 0))};
  } else if (kind == "question") {
    entry.event = RunApprovalRequest{fields.text("question"), fields.text("operation"), fields.text("resource"),
                                     fields.text_or_empty("program"), fields.text_or_empty("because")};
  } else if (kind == "answer") {
    const auto decision = decision_of(fields.text("answer"));
    if (!decision) return std::nullopt;
    entry.event = RunDecision{fields.text("question"), *decision, fields.text_or_empty("by")};
  }
  if (!fields.whole) return std::nullopt;
  return entry;
}

}  // namespace

std::optional<JournalEntry> entry_of(std::string_view line) {
  const Json parsed = Json::parse(line, nullptr, false);
  return parsed.is_object() ? read(parsed) : std::nullopt;
}

}  // namespace pinfold::session
