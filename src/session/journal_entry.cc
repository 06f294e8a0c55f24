// journal_entry.cc: writes journal lines.
// Invariant: every text is redacted as a whole before it is cut, because a part of a secret is not recognised.
// Not here: reading (journal_entry_read.cc), files (journal.cc).
#include "session/journal_entry.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/encode.h"
#include "base/utf8.h"
#include "report/render.h"
#include "safety/redaction/command_text.h"

namespace pinfold::session {
namespace {

using Json = nlohmann::ordered_json;
using redaction::TextKind;

// Maximum length of one text; tried in this order until the line fits.
constexpr std::size_t kTextLimits[] = {2048, 512, 128, 32};
constexpr std::size_t kMostWords = 256;  // of a command line or of the list of workspaces
// Bytes of one text, or of a command line, that are redacted: far more than the line keeps.
constexpr std::size_t kLongestLooked = 64 * 1024;
constexpr std::string_view kCut = "…";

std::string cut(std::string text, std::size_t limit) {
  if (text.size() <= limit) return text;
  return std::string(utf8_head(text, limit)) + std::string(kCut);
}

// The beginning of a text that is too long to redact as a whole, without its last word, which may be half a secret.
std::string head_of(const std::string& text) {
  if (text.size() <= kLongestLooked) return text;
  const std::size_t blank = text.find_last_of(" \t\n", kLongestLooked);
  return text.substr(0, blank == std::string::npos ? 0 : blank) + std::string(kCut);
}

class Writer {
 public:
  explicit Writer(std::size_t limit) : limit_(limit) {}

  Json text(const std::string& raw) const {
    return cut(redaction::redact(valid_utf8(head_of(raw)), TextKind::kProse), limit_);
  }
  Json text_or_null(const std::string& raw) const { return raw.empty() ? Json(nullptr) : text(raw); }

  // Redacts every member, so that fields added to a denial later are redacted, too.
  Json all(Json object) const {
    if (const auto raw = object.find("resource_bytes"); raw != object.end()) {
      const std::string& resource = object["resource"].get_ref<const std::string&>();
      const bool touched = resource.size() > limit_ || text(resource) != object["resource"];
      if (touched || raw->get_ref<const std::string&>().size() > limit_) object.erase("resource_bytes");
    }
    for (auto& [name, value] : object.items())
      if (value.is_string() && name != "resource_bytes") value = text(value.get<std::string>());
    return object;
  }

  void operator()(const RunStart& run) {
    std::vector<std::string> words;
    for (std::size_t i = 0, looked = 0; i < std::min(run.argv.size(), kMostWords) && looked < kLongestLooked; ++i) {
      words.push_back(valid_utf8(head_of(run.argv[i])));
      looked += run.argv[i].size();
    }
    Json argv = Json::array();
    for (std::string& word : redaction::redact_argv(words)) argv.push_back(cut(std::move(word), limit_));
    Json workspaces = Json::array();
    for (std::size_t i = 0; i < std::min(run.workspaces.size(), kMostWords); ++i)
      workspaces.push_back(text(run.workspaces[i]));
    line["kind"] = "start";
    line["argv"] = std::move(argv);
    line["argc"] = run.argv.size();
    line["cwd"] = text_or_null(run.working_dir);
    line["workspaces"] = std::move(workspaces);
    line["profile"] = text_or_null(run.profile);
    line["pid"] = run.pid;
  }
  void operator()(const RunDenial& run) {
    line["kind"] = "denial";
    line.update(all(Json::parse(report::denial_json_text(run.denial))));
  }
  void operator()(const RunHostUse& used) {
    line["kind"] = "use";
    line["operation"] = text(used.operation);
    line["resource"] = text(used.resource);
    line["bytes"] = used.bytes;
    line["problem"] = text_or_null(used.problem);
  }
  void operator()(const RunEnd& run) {
    line["kind"] = "end";
    line["outcome"] = all(Json::parse(report::outcome_json_text(run.outcome)));
    line["exit_code"] = exit_code(run.outcome);
    line["backend"] = text_or_null(run.backend);
    line["duration_ms"] = run.duration.count();
    line["denials"] = run.denials;
  }
  void operator()(const RunApprovalRequest& request) {
    line["kind"] = "question";
    line["question"] = text(request.id);
    line["operation"] = text(request.operation);
    line["resource"] = text(request.resource);
    line["program"] = text_or_null(request.program);
    line["because"] = text_or_null(request.because);
  }
  void operator()(const RunDecision& decision) {
    static constexpr const char* kDecisions[] = {"deny", "once", "session", "always"};
    line["kind"] = "answer";
    line["question"] = text(decision.request);
    line["answer"] = kDecisions[static_cast<std::size_t>(decision.decision)];
    line["by"] = text_or_null(decision.by);
  }
  void operator()(const UnknownEntry& other) { line["kind"] = text(other.kind); }

  Json line;

 private:
  std::size_t limit_;
};

}  // namespace

std::string line_of(const JournalEntry& entry) {
  std::string out;
  for (const std::size_t limit : kTextLimits) {
    Writer writer(limit);
    writer.line = {
        {"schema", kJournalSchema}, {"time", timestamp(entry.time)}, {"run", writer.text_or_null(entry.run)}};
    std::visit(writer, entry.event);
    // ASCII only: harmless if cut anywhere, and on a terminal.
    out = writer.line.dump(-1, ' ', true) + "\n";
    if (out.size() <= kLongestLine) return out;
    if (Json& line = writer.line; limit == std::end(kTextLimits)[-1] && line.contains("argv")) {
      // Hundreds of words full of escapes: keep the first eight.
      for (const char* list : {"argv", "workspaces"})
        if (line[list].size() > 8) line[list].erase(line[list].begin() + 8, line[list].end());
      out = line.dump(-1, ' ', true) + "\n";
    }
  }
  return out;
}

}  // namespace pinfold::session
