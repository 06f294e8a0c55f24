// print.cc: a policy as TOML.
// Invariant: the printed text parses to the same policy; every line has its origin in a comment.
// Not here: JSON (print_json.cc), reading (toml.cc, document.cc).
#include "policy/print.h"

#include <array>
#include <map>
#include <vector>

#include "base/domain.h"
#include "base/glob.h"
#include "base/paths.h"
#include "base/text.h"
#include "base/units.h"
#include "base/utf8.h"
#include "policy/presets.h"
#include "policy/rank.h"

namespace pinfold::policy {
namespace {

using std::string_view;

// One element of a list, or one value, with its comment.
struct Item {
  std::string value;
  std::string comment;
};

struct Section {
  std::string name;
  std::vector<std::pair<std::string, std::vector<Item>>> lists;  // in the order of first use
  std::vector<std::pair<std::string, Item>> values;
  std::vector<std::string> left_out;  // rules that cannot be written in TOML

  void add(string_view key, Item item) {
    for (auto& [name_, items] : lists)
      if (name_ == key) return items.push_back(std::move(item));
    lists.emplace_back(key, std::vector<Item>{std::move(item)});
  }
  void set(string_view key, Item item) { values.emplace_back(key, std::move(item)); }
};

string_view source_name(const Origin& origin) {
  if (is_grant(origin)) return "grants";
  switch (origin.source) {
    case Source::kPreset: return "preset";
    case Source::kUserFile: return "user-file";
    case Source::kProjectFile: return "project-file";
    case Source::kEnvironment: return "environment";
    case Source::kFlag: return "flags";
    case Source::kApi: break;
  }
  return "api";
}

class Printer {
 public:
  explicit Printer(const Policy& policy) : policy_(policy) {}

  std::string run() {
    paths();
    for (const HidePattern& one : policy_.patterns) list(one.origin, "hide", toml_string(one.glob));
    // A name may begin with "~", which by itself would mean the home directory.
    for (const ProtectRule& one : policy_.protect)
      list(one.origin, "protect", toml_string((one.name.starts_with('~') ? "./" : "") + one.name));
    for (const EnvRule& one : policy_.environment)
      list(one.origin, "env", toml_string(one.value ? one.name + "=" + *one.value : one.name));
    network_and_exec();
    limits();
    choices();
    return text();
  }

 private:
  // Null for a preset's own rules: reading the preset adds them again.
  Section* section(const Origin& origin) {
    if (origin.source == Source::kPreset) return nullptr;
    Section& one = sections_[rank(origin)];
    if (one.name.empty()) {
      one.name = "as-by-" + std::string(source_name(origin));
      if (origin.layer > 0) one.name += "-" + std::to_string(origin.layer);
    }
    return &one;
  }
  void list(const Origin& origin, string_view key, std::string value) {
    Section* one = section(origin);
    if (one == nullptr) return;
    // TOML is UTF-8 and nothing else.
    if (is_utf8(value))
      one->add(key, {std::move(value), origin.where});
    else
      one->left_out.push_back(std::string(key) + " " + text::shown(value));
  }
  void value(const Origin& origin, string_view key, std::string text) {
    if (Section* one = section(origin)) one->set(key, {std::move(text), origin.where});
  }

  void paths() {
    for (std::size_t i = 0; i < policy_.paths.size(); ++i) {
      const PathRule& rule = policy_.paths[i];
      if (rule.workspace) {
        list(rule.origin, "workspace", toml_string(rule.path));
        continue;
      }
      // The builder adds these itself, for a pattern, a host's /tmp and the full network.
      if (is_literal_of_pattern(rule) || is_host_tmp(rule)) continue;
      const string_view key = rule.access == Access::kHide ? "hide" : rule.access == Access::kRead ? "read" : "write";
      const bool plain = rule.missing == Missing::kError && !(rule.access == Access::kHide && is_pattern(rule.path));
      list(rule.origin, key,
           plain ? toml_string(rule.path)
                 : "{ path = " + toml_string(rule.path) + (rule.missing == Missing::kSkip ? ", optional = true" : "") +
                       " }");
    }
  }

  bool is_literal_of_pattern(const PathRule& rule) const {
    if (rule.access != Access::kHide || rule.missing != Missing::kSkip || !is_pattern(rule.path)) return false;
    for (const HidePattern& one : policy_.patterns)
      if (same_layer(one.origin, rule.origin) && one.origin.where == rule.origin.where &&
          (one.glob == rule.path || rule.path.ends_with(paths::normal("/" + one.glob))))
        return true;
    return false;
  }

  bool is_host_tmp(const PathRule& rule) const {
    return policy_.tmp == TmpMode::kHost && rule.missing == Missing::kSkip && rule.access == Access::kWrite &&
           (rule.path == "/tmp" || rule.path == "/var/tmp") && same_layer(rule.origin, policy_.tmp_origin) &&
           rule.origin.where == policy_.tmp_origin.where;
  }

  // Grants add to a list of an earlier source; in a file a later list replaces, so all of it stands in the last
  // section.
  Origin among_all(Origin origin) const {
    for (const DomainRule& one : policy_.network.domains)
      if (overrides(one.origin, origin)) origin = {one.origin.source, origin.where, one.origin.layer};
    return origin;
  }

  void network_and_exec() {
    const NetworkRule& net = policy_.network;
    if (net.mode == NetworkMode::kDomains)
      for (const DomainRule& one : net.domains) list(among_all(one.origin), "network", toml_string(print_rule(one)));
    else
      value(net.origin, "network", net.mode == NetworkMode::kFull ? "\"full\"" : "\"none\"");
    for (const HostAddresses& one : policy_.hosts) list(one.origin, "resolve", toml_string(print_hosts(one)));
    const ExecRule& exec = policy_.exec;
    if (exec.mode == ExecMode::kList)
      for (const std::string& one : exec.commands) list(exec.origin, "exec", toml_string(one));
    else
      value(exec.origin, "exec", exec.mode == ExecMode::kAny ? "\"any\"" : "\"none\"");
  }

  void limits() {
    const Limits& l = policy_.limits;
    const auto time = [&](string_view key, const auto& limit) {
      if (limit) value(limit->origin, key, "\"" + units::format_duration(limit->value) + "\"");
    };
    const auto size = [&](string_view key, const auto& limit) {
      if (limit) value(limit->origin, key, "\"" + units::format_size(limit->value) + "\"");
    };
    time("timeout", l.wall_time);
    size("memory", l.memory);
    if (l.processes) value(l.processes->origin, "processes", std::to_string(l.processes->value));
    time("cpu_time", l.cpu_time);
    size("file_size", l.file_size);
    size("output_limit", l.output_size);
  }

  void choices() {
    value(policy_.workspace_access_origin, "workspace_access",
          policy_.workspace_access == Access::kWrite ? "\"write\"" : "\"read\"");
    value(policy_.home_origin, "home", policy_.home == HomeMode::kHost ? "\"host\"" : "\"hidden\"");
    value(policy_.tmp_origin, "tmp", policy_.tmp == TmpMode::kHost ? "\"host\"" : "\"private\"");
    value(policy_.session_origin, "new_session", policy_.session == SessionMode::kNew ? "true" : "false");
    value(policy_.pid_origin, "share_pid", policy_.pid == PidMode::kShared ? "true" : "false");
    value(policy_.debuggers_origin, "debuggers", policy_.debuggers == Debuggers::kAllowed ? "true" : "false");
    value(policy_.observe_origin, "observe", "\"" + std::string(observe_word(policy_.observe)) + "\"");
    value(policy_.ignored_origin, "ignored", "\"" + std::string(ignored_word(policy_.ignored)) + "\"");
    value(policy_.absolute_paths_origin, "allow_absolute",
          policy_.absolute_paths == AbsolutePaths::kAccepted ? "true" : "false");
    const OnUnavailable gap = policy_.on_unavailable;
    value(policy_.on_unavailable_origin, "on_unavailable",
          gap == OnUnavailable::kWarn     ? "\"warn\""
          : gap == OnUnavailable::kPrompt ? "\"prompt\""
                                          : "\"deny\"");
  }

  static std::string comment(const std::string& where) { return where.empty() ? "" : "  # " + text::shown(where); }

  std::string text() const {
    std::string out = "# The rules on top of the preset \"" + policy_.profile + "\".\n";
    std::string below = policy_.profile;
    out += "profile = \"" + (sections_.empty() ? below : sections_.rbegin()->second.name) + "\"\n";
    for (const auto& [order, one] : sections_) {
      out += "\n[profiles." + one.name + "]\ninherits = \"" + below + "\"\n";
      for (const auto& [key, items] : one.lists) {
        if (items.size() == 1) {
          out += key + " = [" + items[0].value + "]" + comment(items[0].comment) + "\n";
          continue;
        }
        out += key + " = [\n";
        for (const Item& item : items) out += "  " + item.value + "," + comment(item.comment) + "\n";
        out += "]\n";
      }
      for (const auto& [key, item] : one.values) out += key + " = " + item.value + comment(item.comment) + "\n";
      for (const std::string& line : one.left_out) out += "# not UTF-8, so TOML cannot hold it: " + line + "\n";
      below = one.name;
    }
    return out;
  }

  const Policy& policy_;
  std::map<int, Section> sections_;  // by rank
};

}  // namespace

std::string toml_string(string_view raw) {
  constexpr std::array<char, 16> kDigits = {'0', '1', '2', '3', '4', '5', '6', '7',
                                            '8', '9', 'A', 'B', 'C', 'D', 'E', 'F'};
  std::string out = "\"";
  for (const char c : raw) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7F) {
      out += "\\u00";
      out += kDigits[byte >> 4U];
      out += kDigits[byte & 15U];
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string to_toml(const Policy& policy) { return Printer(policy).run(); }

}  // namespace pinfold::policy
