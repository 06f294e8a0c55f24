// journal_entry.cc: journal lines, written.
// Invariant: every text is redacted whole and cut afterwards: half a secret is not recognised any more.
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

// How long one text may be; tried one after the other until the line fits.
constexpr std::size_t kTextLimits[] = {2048, 512, 128, 32};
constexpr std::size_t kMostWords = 256;  // of a command line, or workspaces
// Looked at in one text, or a whole command line: far more than is kept, so that what is cut off here is never in it.
constexpr std::size_t kLongestLooked = 64 * 1024;
constexpr std::string_view kCut = "…";

std::string cut(std::string text, std::size_t limit) {
  if (text.size() <= limit) return text;
  return std::string(utf8_head(text, limit)) + std::string(kCut);
}

// The beginning of a text that is too long to look at whole; its last word may be half a secret, so it goes.
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

  // Every text inside, whatever its name: what a report's denial gains later is redacted, too.
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

  void operator()(const RunStarted& run) {
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
  void operator()(const RunDenied& run) {
    line["kind"] = "denial";
    line.update(all(Json::parse(report::denial_json_text(run.denial))));
  }
  void operator()(const RunUsed& used) {
    line["kind"] = "use";
    line["operation"] = text(used.operation);
    line["resource"] = text(used.resource);
    line["bytes"] = used.bytes;
    line["problem"] = text_or_null(used.problem);
  }
  void operator()(const RunEnded& run) {
    line["kind"] = "end";
    line["outcome"] = all(Json::parse(report::outcome_json_text(run.outcome)));
    line["exit_code"] = exit_code(run.outcome);
    line["backend"] = text_or_null(run.backend);
    line["duration_ms"] = run.duration.count();
    line["denials"] = run.denials;
  }
  void operator()(const QuestionAsked& asked) {
    line["kind"] = "question";
    line["question"] = text(asked.question);
    line["operation"] = text(asked.operation);
    line["resource"] = text(asked.resource);
    line["program"] = text_or_null(asked.program);
    line["because"] = text_or_null(asked.because);
  }
  void operator()(const AnswerGiven& given) {
    static constexpr const char* kAnswers[] = {"deny", "once", "session", "always"};
    line["kind"] = "answer";
    line["question"] = text(given.question);
    line["answer"] = kAnswers[static_cast<std::size_t>(given.answer)];
    line["by"] = text_or_null(given.by);
  }
  void operator()(const Unknown& other) { line["kind"] = text(other.kind); }

  Json line;

 private:
  std::size_t limit_;
};

}  // namespace

std::string line_of(const Entry& entry) {
  std::string out;
  for (const std::size_t limit : kTextLimits) {
    Writer writer(limit);
    writer.line = {
        {"schema", kJournalSchema}, {"time", timestamp(entry.time)}, {"run", writer.text_or_null(entry.run)}};
    std::visit(writer, entry.what);
    // ASCII alone: a line that is cut anywhere, or printed by `cat`, does no harm.
    out = writer.line.dump(-1, ' ', true) + "\n";
    if (out.size() <= kLongestLine) return out;
    if (Json& line = writer.line; limit == std::end(kTextLimits)[-1] && line.contains("argv")) {
      // Two hundred words of escapes: the first few say enough.
      for (const char* list : {"argv", "workspaces"})
        if (line[list].size() > 8) line[list].erase(line[list].begin() + 8, line[list].end());
      out = line.dump(-1, ' ', true) + "\n";
    }
  }
  return out;
}

}  // namespace pinfold::session
