// review.h: the facts that a user needs to approve a plugin, as one value with a terminal and a JSON form.
// Invariant: the same facts for the terminal, the web page and programs; the plugin's own texts are untrusted, and each
// form escapes them. Not here: storing the decision (approvals.h), the web page (src/web).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pinfold/approval.h"
#include "plugin/folder.h"
#include "plugin/risk.h"
#include "report/render.h"

namespace pinfold::plugin {

struct ReviewRow {
  std::string icon;
  std::string title;   // "NETWORK"
  std::string text;    // "Connect to: *.atlassian.net"
  std::string reason;  // the risk, in one sentence
  int points = 0;
  RiskLevel level = RiskLevel::kLow;
};

struct ReviewChange {
  std::string before_version;
  bool code_changed = false;
  std::vector<std::string> added;  // as texts, like the rows
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
  std::string command;  // the exact command line, quoted for a shell; empty: see `problem`
  std::string problem;  // why it cannot be started now, or empty
  State state = State::kNew;
  std::vector<ReviewRow> rows;  // highest risk first
  int score = 0;
  RiskLevel level = RiskLevel::kLow;
  std::string sentence;
  std::vector<Combination> combinations;
  std::vector<std::string> cannot;
  std::optional<ReviewChange> change;
  std::vector<std::string> flagged;  // invisible or reordering characters in its texts
};

// The plugin must have a manifest. `command`: its argv, or the error.
Review review_of(const InstalledPlugin& plugin, const Fingerprint& now, const ApprovalStatus& status,
                 const Result<std::vector<std::string>>& command, const std::string& home);

// "Connect to example.org", "Read ~/x"
std::string words_of(const Item& item);

std::string_view level_icon(RiskLevel level);

std::string review_text(const Review& review, report::TextFormat format);
// One object; ends with a newline.
std::string review_json(const Review& review);

}  // namespace pinfold::plugin
