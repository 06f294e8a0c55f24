// review.h: everything that a person needs to know before letting a plugin run, as one value with several faces.
// Invariant: the same facts for the terminal, the page and programs; text of the plugin's own is untrusted, and escaped
// by each face. Not here: recording the answer (approvals.h), the page (src/web).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pinfold/question.h"
#include "plugin/folder.h"
#include "plugin/risk.h"
#include "report/render.h"

namespace pinfold::plugin {

struct ReviewRow {
  std::string icon;
  std::string title;   // "NETWORK"
  std::string text;    // "Connect to: *.atlassian.net"
  std::string reason;  // what could come of it
  int points = 0;
  RiskLevel level = RiskLevel::kLow;
};

struct ReviewChange {
  std::string before_version;
  bool code_changed = false;
  std::vector<std::string> added;  // in the words of the rows
  std::vector<std::string> removed;
};

struct Review {
  std::string id;
  std::string name;
  std::string author;  // may be empty
  std::string version;
  std::string description;  // may be empty
  std::string folder;
  std::string permissions_hash;
  std::string files_hash;
  std::string command;  // exactly what is started, as a line of shell; empty: see problem
  std::string problem;  // why it could not be started as things are, or empty
  State state = State::kNew;
  std::vector<ReviewRow> rows;  // the riskiest first
  int score = 0;
  RiskLevel level = RiskLevel::kLow;
  std::string sentence;
  std::vector<Combination> combinations;
  std::vector<std::string> cannot;
  std::optional<ReviewChange> change;
  std::vector<std::string> flagged;  // characters in its texts that do not show, or that reorder others
};

// The plugin has a manifest. `command`: its argv, or why there is none.
Review review_of(const Installed& plugin, const Fingerprint& now, const Standing& standing,
                 const Result<std::vector<std::string>>& command, const std::string& home);

// "Connect to example.org", "Read ~/x"
std::string words_of(const Item& item);

std::string_view level_icon(RiskLevel level);

std::string review_text(const Review& review, report::Paper paper);
// One object; ends with a newline.
std::string review_json(const Review& review);

}  // namespace pinfold::plugin
