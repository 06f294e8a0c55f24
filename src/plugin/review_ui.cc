// review_ui.cc: a review as text for the terminal, and as JSON for programs.
// Invariant: the plugin's own texts never reach a terminal unescaped.
// Not here: the facts (review.cc), the web page (src/web).
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/encode.h"
#include "plugin/review.h"
#include "report/table.h"

namespace pinfold::plugin {
namespace {

using Json = nlohmann::ordered_json;
using report::Cell;
using report::Paint;
using report::visible;

Paint paint_of(RiskLevel level) {
  return level == RiskLevel::kHigh ? Paint::kBad : level == RiskLevel::kMedium ? Paint::kWarn : Paint::kGood;
}

std::string badge(RiskLevel level) {
  std::string word(level_word(level));
  for (char& c : word) c = static_cast<char>(c - 'a' + 'A');
  return std::string(level_icon(level)) + " " + word;
}

std::string title_of(const Review& review) {
  switch (review.state) {
    case State::kChanged: return "Changed plugin: ";
    case State::kNew: return "New plugin: ";
    default: return "Plugin: ";
  }
}

std::string points(int number) { return fmt::format("{} point{}", number, number == 1 ? "" : "s"); }

std::string change_text(const ReviewChange& change, report::Colour colour) {
  std::string out =
      "\n  " +
      report::paint("Changed since you allowed version " + visible(change.before_version), Paint::kBold, colour) + "\n";
  for (const std::string& line : change.added) out += report::paint("  + " + visible(line), Paint::kBad, colour) + "\n";
  for (const std::string& line : change.removed)
    out += report::paint("  - " + visible(line), Paint::kGood, colour) + "\n";
  if (change.code_changed) out += report::paint("  ~ its code changed", Paint::kWarn, colour) + "\n";
  return out;
}

}  // namespace

std::string review_text(const Review& review, report::TextFormat format) {
  const auto head = [&](const std::string& text) { return report::paint(text, Paint::kBold, format.colour); };
  std::string out = "  🔌 " + head(title_of(review) + visible(review.name)) + "\n";
  out += fmt::format("  by {} · v{}\n", review.author.empty() ? "an unnamed author" : visible(review.author),
                     visible(review.version));
  if (!review.description.empty()) out += "\n  \"" + visible(review.description) + "\"\n";
  std::vector<std::vector<Cell>> facts = {{{"id", Paint::kDim}, {visible(review.id)}},
                                          {{"state", Paint::kDim}, {std::string(state_word(review.state))}},
                                          {{"folder", Paint::kDim}, {visible(review.folder)}}};
  if (review.problem.empty())
    facts.push_back({{"starts", Paint::kDim}, {visible(review.command)}});
  else
    facts.push_back({{"cannot start", Paint::kBad}, {report::visible_lines(review.problem)}});
  facts.push_back({{"permissions", Paint::kDim}, {visible(review.permissions_hash), Paint::kDim}});
  facts.push_back({{"files", Paint::kDim}, {visible(review.files_hash), Paint::kDim}});
  out += "\n" + report::table(facts, 2, format.colour);
  for (const std::string& one : review.flagged)
    out += report::paint("  ⛔ invisible or reordering characters in its " + visible(one), Paint::kBad, format.colour) +
           "\n";

  out += "\n  " + head("This plugin requests the following permissions") + "\n";
  if (review.rows.empty()) out += "  none\n";
  std::vector<std::vector<Cell>> rows;
  for (const ReviewRow& row : review.rows) {
    rows.push_back({{row.icon + " " + row.title, Paint::kBold},
                    {badge(row.level), paint_of(row.level)},
                    {points(row.points), Paint::kDim},
                    {visible(row.text)}});
    rows.push_back({{""}, {""}, {""}, {visible(row.reason), Paint::kDim}});
  }
  out += report::table(rows, 2, format);
  if (review.change) out += change_text(*review.change, format.colour);

  out += "\n  " + head("Risk level: ") + report::paint(badge(review.level), paint_of(review.level), format.colour) +
         fmt::format(" ({})\n  {}\n", points(review.score), visible(review.sentence));
  for (const Combination& one : review.combinations)
    out += fmt::format("  {}: {}\n", report::paint(one.name, Paint::kWarn, format.colour), one.text);
  out += "  Only allow plugins from authors you trust.\n\n  " + head("It cannot") + "\n";
  for (const std::string& one : review.cannot) out += "  · " + visible(one) + "\n";
  return out;
}

std::string review_json(const Review& review) {
  Json rows = Json::array();
  for (const ReviewRow& row : review.rows)
    rows.push_back({{"icon", row.icon},
                    {"title", row.title},
                    {"text", visible(row.text)},
                    {"reason", row.reason},
                    {"points", row.points},
                    {"level", level_word(row.level)}});
  Json combinations = Json::array();
  for (const Combination& one : review.combinations) combinations.push_back({{"name", one.name}, {"text", one.text}});
  Json out = {{"id", review.id},
              {"name", valid_utf8(review.name)},
              {"author", valid_utf8(review.author)},
              {"version", review.version},
              {"description", valid_utf8(review.description)},
              {"folder", valid_utf8(review.folder)},
              {"state", state_word(review.state)},
              {"permissions_hash", review.permissions_hash},
              {"files_hash", review.files_hash},
              {"command", valid_utf8(review.command)},
              {"problem", valid_utf8(review.problem)},
              {"permissions", std::move(rows)},
              {"risk",
               {{"level", level_word(review.level)},
                {"points", review.score},
                {"sentence", review.sentence},
                {"combinations", std::move(combinations)}}},
              {"cannot", review.cannot},
              {"change", nullptr},
              {"flagged", review.flagged}};
  if (review.change)
    out["change"] = {{"before_version", review.change->before_version},
                     {"code_changed", review.change->code_changed},
                     {"added", review.change->added},
                     {"removed", review.change->removed}};
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace pinfold::plugin
