// render.cc: outcomes, denials and coverage as short text for people.
// Invariant: every value goes through visible(); the length of a summary is bounded.
// Not here: JSON (json.cc), choosing the stream.
#include "report/render.h"

#include <algorithm>

#include <fmt/format.h>

#include "report/outcome.h"
#include "report/table.h"

namespace pinfold::report {

namespace {

constexpr std::size_t kRows = 10;
constexpr std::size_t kNoteRows = 10;
constexpr std::size_t kLongest = 200;  // characters of one cell; hostile names must not fill the screen

// Cuts at a character boundary; the whole value is in the JSON report.
std::string shortened(std::string text) {
  if (text.size() <= kLongest) return text;
  std::size_t end = kLongest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0u) == 0x80u) --end;
  text.resize(end);
  return text + "…";
}

std::string message(std::string_view head, Paint shade, const std::string& reason, const std::string& fix,
                    Colour colour) {
  std::string out = paint(fmt::format("pinfold: {}:", head), shade, colour);
  // Reasons of several lines (a builder's problems) are indented below their head.
  const std::string text = visible_lines(reason);
  if (text.find('\n') == std::string::npos) {
    out += ' ' + text + '\n';
  } else {
    out += "\n  ";
    for (const char c : text) {
      out += c;
      if (c == '\n') out += "  ";
    }
    out += '\n';
  }
  if (!fix.empty()) out += fmt::format("  {} {}\n", paint("fix:", Paint::kGood, colour), visible(fix));
  return out;
}

// One line each, in columns; where they would not fit on the paper, the reason and the flag below each.
std::string denial_rows(const std::vector<Denial>& denials, TextFormat format) {
  std::vector<std::vector<Cell>> rows;
  for (const Denial& denial : denials) {
    if (rows.size() == kRows) break;
    std::string what = shortened(visible(denial.resource));
    if (denial.count > 1) what += fmt::format(" (×{})", denial.count);
    const std::string allow = allow_text(denial);
    rows.push_back({{visible(denial.operation), Paint::kBold},
                    {std::move(what)},
                    {shortened(visible(denial.rule)), Paint::kDim},
                    // Never shortened: half a flag is worse than a long line.
                    {allow.empty() ? "" : "allow: " + visible(allow), Paint::kGood}});
  }
  std::string wide = table(rows, 2, Colour::kOff);
  std::size_t longest = 0;
  for (std::size_t start = 0; start < wide.size();) {
    const std::size_t end = wide.find('\n', start);
    longest = std::max(longest, columns(std::string_view(wide).substr(start, end - start)));
    start = end + 1;
  }
  if (format.width == 0 || longest <= format.width) return table(rows, 2, format.colour);
  std::string out;
  for (const auto& row : rows) {
    out += "  " + paint(row[0].text, row[0].paint, format.colour) + " " + row[1].text + "\n";
    for (std::size_t i = 2; i < row.size(); ++i)
      if (!row[i].text.empty()) out += "      " + paint(row[i].text, row[i].paint, format.colour) + "\n";
  }
  return out;
}

struct OutcomeText {
  Colour colour;
  std::string operator()(const Exited&) const { return {}; }
  std::string operator()(const Signaled& o) const {
    if (o.by.empty()) return {};
    const char* happened = o.by.starts_with("limit.") ? "was reached" : "was broken";
    return message("stopped", Paint::kBad, fmt::format("{} {} ({})", o.by, happened, signal_name(o.signal)),
                   flag_for_limit(o.by), colour);
  }
  std::string operator()(const TimedOut& o) const {
    return message("timed out", Paint::kBad, fmt::format("stopped after {}", duration_text(o.after)),
                   "allow more with --timeout", colour);
  }
  std::string operator()(const Refused& o) const {
    // "refused by advice (delete-root): …"
    constexpr std::string_view kAdvice = "advice (";
    const std::size_t end = o.reason.find("): ");
    if (o.by != RefusedBy::kAdvice || !o.reason.starts_with(kAdvice) || end == std::string::npos)
      return message("refused", Paint::kBad, o.reason, o.fix, colour);
    return message("refused by " + visible(o.reason.substr(0, end + 1)), Paint::kBad, o.reason.substr(end + 3), o.fix,
                   colour);
  }
  std::string operator()(const SetupFailed& o) const {
    return message(o.stage == SetupStage::kNotFound ? "not found" : "error", Paint::kBad, o.reason, o.fix, colour);
  }

  static std::string duration_text(std::chrono::milliseconds span) {
    if (span.count() % 1000 == 0) return fmt::format("{} s", span.count() / 1000);
    return fmt::format("{} ms", span.count());
  }
  static std::string flag_for_limit(std::string_view step) {
    if (step == step_name::kMemory) return "allow more with --memory";
    if (step == step_name::kProcessCount) return "allow more with --processes";
    if (step == step_name::kCpuTime) return "allow more with --cpu-time";
    if (step == step_name::kFileSize) return "allow more with --file-size";
    if (step == step_name::kOutputSize) return "allow more with --output-limit";
    if (step == step_name::kWallTime) return "allow more with --timeout";
    return {};
  }
};

}  // namespace

std::string allow_text(const Denial& denial) {
  if (denial.allow_with.empty()) return denial.allow_note;
  return denial.allow_with + (denial.allow_note.empty() ? "" : " (" + denial.allow_note + ")");
}

std::string denial_summary(const Report& report, TextFormat format) {
  std::string out;
  if (!report.denials.empty()) {
    out += paint(fmt::format("pinfold: denied {}", report.denials.size() == 1
                                                       ? std::string("1 thing")
                                                       : fmt::format("{} things", report.denials.size())),
                 Paint::kWarn, format.colour) +
           ":\n";
    out += denial_rows(report.denials, format);
    if (report.denials.size() > kRows)
      out += fmt::format("  and {} more (pinfold log --denied)\n", report.denials.size() - kRows);
  }
  const std::size_t notes = std::min(report.notes.size(), kNoteRows);
  for (std::size_t i = 0; i < notes; ++i) out += fmt::format("pinfold: note: {}\n", visible(report.notes[i]));
  if (report.notes.size() > notes) out += fmt::format("pinfold: note: and {} more\n", report.notes.size() - notes);
  return out;
}

std::string outcome_message(const Outcome& outcome, Colour colour) { return std::visit(OutcomeText{colour}, outcome); }

}  // namespace pinfold::report
