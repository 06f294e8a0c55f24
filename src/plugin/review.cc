// review.cc: makes a review from a plugin and its risk.
// Invariant: plain verbs; the review also lists what the plugin cannot do.
// Not here: the terminal and JSON forms (review_ui.cc).
#include "plugin/review.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/text.h"
#include "base/utf8.h"

namespace pinfold::plugin {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

std::string explained(const std::vector<std::string>& hosts) {
  std::string out = "Connect to: " + joined(hosts);
  for (const std::string& host : hosts)
    if (const std::size_t star = host.find("*."); star != std::string::npos) {
      const std::string below = host.substr(star + 1, host.find(':', star) - star - 1);
      out += fmt::format(" ({}: any host whose name ends in {})", host, below);
    }
  return out;
}

std::string resolved(const std::string& path, const std::string& home) {
  return path.starts_with('~') && !home.empty() ? fmt::format("{} ({})", path, home + path.substr(1)) : path;
}

ReviewRow row_of(const ItemRisk& item, const std::string& home) {
  ReviewRow row{{}, {}, {}, item.reason, item.points, item.level};
  const std::string what = item.what.empty() ? std::string() : item.what[0];
  switch (item.kind) {
    case PermissionKind::kNetwork: row.icon = "🌐", row.title = "NETWORK", row.text = explained(item.what); break;
    case PermissionKind::kRead:
      row.icon = "📁", row.title = "FILES", row.text = "Read: " + resolved(what, home) + ", with all that is in it";
      break;
    case PermissionKind::kWrite:
      row.icon = "📝", row.title = "FILES";
      row.text = "Read, change and delete: " + resolved(what, home) + ", with all that is in it";
      break;
    case PermissionKind::kEnvironment:
      row.icon = "🏷", row.title = "ENVIRONMENT", row.text = "Read environment variable: " + what;
      break;
    case PermissionKind::kSecret:
      row.icon = "🔑", row.title = "SECRETS", row.text = "Read environment variable: " + what;
      break;
    case PermissionKind::kShell:
      row.icon = "💻", row.title = "SHELL";
      row.text = "Run programs: sh" + (item.what.empty() ? "" : ", " + joined(item.what));
      break;
    case PermissionKind::kClipboard:
      row.icon = "📋", row.title = "CLIPBOARD";
      row.text = "Read and write clipboard content";
      break;
  }
  return row;
}

std::vector<std::string> what_it_cannot(const Permissions& requested, const std::string& folder) {
  std::vector<std::string> out;
  out.emplace_back(requested.network.empty() ? "connect to anything, on the network or on this machine"
                                             : "connect to any other host");
  const bool writes = std::any_of(requested.filesystem.begin(), requested.filesystem.end(),
                                  [](const RequestedPath& one) { return one.access == FileAccess::kReadWrite; });
  if (requested.filesystem.empty())
    out.emplace_back("read or change any file of yours");
  else if (writes)
    out.emplace_back("read or change any other file of yours");
  else
    out.emplace_back("change any file of yours, or read any other");
  out.emplace_back(requested.environment.empty() && requested.secrets.empty()
                       ? "see the variables of your environment, beyond your language, user name and terminal"
                       : "see any other variable of your environment, beyond your language, user name and terminal");
  out.emplace_back(requested.shell ? "start any other program" : "start any other program, or a second copy of itself");
  out.emplace_back(requested.clipboard ? "use your keychain, SSH agent, screen, keyboard or other programs"
                                       : "use your clipboard, keychain, SSH agent, screen or other programs");
  out.push_back("change its own code in " + folder);
  return out;
}

// "name: U+200B ×2"
void flag(std::vector<std::string>& out, const std::string& field, std::string_view text) {
  std::map<char32_t, int> found;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint next = decode_utf8(text, at);
    const std::size_t length = std::max<std::size_t>(next.length, 1);
    const std::string_view one = text.substr(at, length);
    if (next.length > 0 && text::shown(one) != one) ++found[next.code];
    at += length;
  }
  for (const auto& [code, count] : found)
    out.push_back(fmt::format("{}: U+{:04X}{}", field, static_cast<std::uint32_t>(code),
                              count > 1 ? fmt::format(" ×{}", count) : ""));
}

std::vector<std::string> words_of(const std::vector<Item>& items) {
  std::vector<std::string> out;
  out.reserve(items.size());
  for (const Item& item : items) out.push_back(plugin::words_of(item));
  return out;
}

}  // namespace

std::string words_of(const Item& item) {
  switch (item.kind) {
    case PermissionKind::kNetwork: return "Connect to " + item.what;
    case PermissionKind::kRead: return "Read " + item.what;
    case PermissionKind::kWrite: return "Read, change and delete " + item.what;
    case PermissionKind::kEnvironment: return "Read environment variable " + item.what;
    case PermissionKind::kSecret: return "Read secret " + item.what;
    case PermissionKind::kShell: return item.what.empty() ? "Run sh" : "Run sh and " + item.what;
    case PermissionKind::kClipboard: break;
  }
  return "Read and write clipboard content";
}

std::string_view level_icon(RiskLevel level) {
  return level == RiskLevel::kHigh ? "⛔" : level == RiskLevel::kMedium ? "⚠" : "○";
}

Review review_of(const InstalledPlugin& plugin, const Fingerprint& now, const ApprovalStatus& status,
                 const Result<std::vector<std::string>>& command, const std::string& home) {
  const Manifest& manifest = *plugin.manifest;
  Review out;
  out.id = manifest.id;
  out.name = manifest.name;
  out.author = manifest.author;
  out.version = manifest.version;
  out.description = manifest.description;
  out.folder = plugin.folder;
  out.permissions_hash = now.permissions_hash;
  out.files_hash = now.files_hash;
  if (command)
    out.command = text::shell_words(*command);
  else
    out.problem = command.error().text();
  out.state = status.state;
  PluginRisk risk = risk_of(manifest.permissions, home);
  for (const ItemRisk& item : risk.items) out.rows.push_back(row_of(item, home));
  out.score = risk.score;
  out.level = risk.level;
  out.sentence = std::move(risk.sentence);
  out.combinations = std::move(risk.combinations);
  out.cannot = what_it_cannot(manifest.permissions, plugin.folder);
  if (status.state == State::kChanged) {
    const Difference difference = status.difference.value_or(Difference{});
    out.change = ReviewChange{status.before_version, status.code_changed, words_of(difference.added),
                              words_of(difference.removed)};
  }
  flag(out.flagged, "name", manifest.name);
  flag(out.flagged, "author", manifest.author);
  flag(out.flagged, "description", manifest.description);
  for (const std::string& argument : manifest.args) flag(out.flagged, "args", argument);
  for (const RequestedPath& path : manifest.permissions.filesystem) flag(out.flagged, "filesystem", path.path);
  flag(out.flagged, "folder", plugin.folder);
  return out;
}

}  // namespace pinfold::plugin
