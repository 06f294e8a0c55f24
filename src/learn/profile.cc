// profile.cc: writes the policy file, with comments for the user.
#include "learn/profile.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/encode.h"
#include "base/glob.h"
#include "base/paths.h"
#include "base/text.h"
#include "base/units.h"
#include "base/utf8.h"
#include "policy/print.h"

namespace pinfold::learn {
namespace {

using policy::Key;
using std::string_view;
using text::shown;

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;
constexpr std::size_t kMostUsersNamed = 4;

// A TOML string with invisible and bidi characters as \u escapes.
std::string toml_word(string_view raw) {
  const std::string plain = policy::toml_string(raw);
  std::string out;
  for (std::size_t at = 0; at < plain.size();) {
    const std::size_t length = std::max<std::size_t>(decode_utf8(plain, at).length, 1);
    const string_view one = string_view(plain).substr(at, length);
    const auto code = static_cast<std::uint32_t>(decode_utf8(plain, at).code);
    if (length == 1 || shown(one) == one)
      out += one;
    else
      out += code > 0xFFFF ? fmt::format("\\U{:08X}", code) : fmt::format("\\u{:04X}", code);
    at += length;
  }
  return out;
}

bool is_list(const policy::KeyInfo& info) {
  return info.form != policy::Form::kWord && info.form != policy::Form::kAmount && info.form != policy::Form::kSwitch;
}

std::string users_text(const Users& users) {
  std::vector<std::pair<std::string, std::uint64_t>> order(users.begin(), users.end());
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string out;
  for (std::size_t i = 0; i < std::min(order.size(), kMostUsersNamed); ++i)
    out += fmt::format("{}{} ({})", i == 0 ? "" : ", ", order[i].first.empty() ? "a program" : shown(order[i].first),
                       order[i].second);
  if (order.size() > kMostUsersNamed) out += fmt::format(" and {} more", order.size() - kMostUsersNamed);
  return out;
}

// Limits with reserve: at least 1.5 times the peak memory and 3 times the duration, rounded up.
std::string memory_with_room(std::uint64_t peak) {
  std::uint64_t room = 64 * kMiB;
  while (room < peak + peak / 2) room *= 2;
  return units::format_size(room);
}
std::string time_with_room(std::chrono::microseconds wall) {
  std::chrono::seconds room{10};
  while (room < wall * 3) room *= 3;
  return units::format_duration(room);
}

class Text {
 public:
  explicit Text(const Profile& profile) : profile_(profile) {}

  std::string run() {
    head();
    list(Access::kRead, "read", Key::kRead);
    list(Access::kWrite, "write", Key::kWrite);
    programs();
    flag_settings();
    network();
    limits();
    omitted_rules();
    return std::move(out_);
  }

 private:
  template <typename... Parts>
  void line(fmt::format_string<Parts...> format, Parts&&... parts) {
    out_ += fmt::format(format, std::forward<Parts>(parts)...) + "\n";
  }

  std::string path_text(const std::string& path) const {
    // In an inline table the path is not parsed as a pattern.
    if (is_pattern(path)) return "{ path = " + toml_word(path) + ", optional = true }";
    const std::string& home = profile_.home;
    if (!home.empty() && paths::beneath(path, home)) return toml_word("~/" + std::string(paths::relative(path, home)));
    return toml_word(path);
  }

  void head() {
    line("# Rules beyond {} for: {}", shown(profile_.base), shown(profile_.command));
    if (!profile_.run_with.empty()) line("# Run it with: {}", shown(profile_.run_with));
    if (!profile_.complete) line("# The watched command failed, so this may be incomplete.");
    line("# Pinfold cannot observe which variables a program reads; add the needed ones to env.");
    line("");
    if (profile_.name.empty()) return line("profile = {}", toml_word(profile_.base));
    line("profile = {0}\n\n[profiles.{0}]", toml_word(profile_.name));
    line("inherits = {}", toml_word(profile_.base));
  }

  void list(Access access, string_view key, Key flag) {
    std::string lines;
    for (const FlagSetting& one : profile_.flag_settings)
      if (one.key == flag) lines += "  " + path_text(one.value) + ",\n";
    for (const ObservedRule& rule : profile_.rule_set.rules) {
      if (rule.access != access) continue;
      const char* verb = access == Access::kWrite ? "changed" : rule.looked_at_only ? "looked at" : "read";
      lines += fmt::format("  # {} by {}\n  {},\n", verb, users_text(rule.users), path_text(rule.path));
    }
    if (!lines.empty()) line("\n{} = [\n{}]", key, lines);
  }

  void programs() {
    if (profile_.rule_set.programs.empty()) return;
    line("\n# Every program that was started; no other program can be executed.\nexec = [");
    for (const std::string& one : profile_.rule_set.programs)
      out_ += is_utf8(one) ? "  " + toml_word(one) + ",\n" : "  # " + shown(one) + ": not UTF-8\n";
    line("]");
  }

  void flag_settings() {
    for (const policy::KeyInfo& info : policy::kKeys) {
      if (info.key == Key::kRead || info.key == Key::kWrite) continue;
      std::string values;
      for (const FlagSetting& one : profile_.flag_settings)
        if (one.key == info.key) values += (values.empty() ? "" : ", ") + toml_word(one.value);
      const bool word = values == "\"none\"" || values == "\"full\"" || values == "\"any\"";
      if (values.empty()) continue;
      if (is_list(info) && !word) values = "[" + values + "]";
      line("\n{} = {}", info.name, values);
    }
  }

  void network() {
    if (profile_.rule_set.network.empty()) return;
    line("\n# Connections to these were denied. To allow them:\n# network = [");
    for (const std::string& one : profile_.rule_set.network) line("#   {},", toml_word(shown(one)));
    line("# ]");
  }

  void limits() {
    line("");
    // Rounded, so that another run of the same command gives the same text.
    if (!profile_.has_memory && profile_.usage.peak_memory > 0)
      line("# memory = \"{}\"  # at least 1.5 times the measured peak", memory_with_room(profile_.usage.peak_memory));
    if (!profile_.has_timeout)
      line("# timeout = \"{}\"  # at least 3 times the measured time", time_with_room(profile_.usage.wall));
  }

  void omitted_rules() {
    if (profile_.rule_set.omitted.empty()) return;
    line("\n# ---- used, but not granted: to grant a path, move its line into read or write above ----");
    for (const OmittedRule& one : profile_.rule_set.omitted) {
      line("# {} by {}: {}", one.access == Access::kWrite ? "to be changed" : "used", users_text(one.users), one.why);
      line("#   {} {}", one.access == Access::kWrite ? "write" : "read",
           shown(is_utf8(one.path) ? path_text(one.path) : one.path));
    }
  }

  const Profile& profile_;
  std::string out_;
};

nlohmann::json users_json(const Users& users) {
  auto out = nlohmann::json::object();
  for (const auto& [program, count] : users) out[valid_utf8(program)] = count;
  return out;
}

const char* word(Access access) { return access == Access::kWrite ? "write" : "read"; }

}  // namespace

bool is_empty(const Profile& profile) { return profile.rule_set.rules.empty() && profile.rule_set.programs.empty(); }

std::string to_toml(const Profile& profile) { return Text(profile).run(); }

std::string to_json(const Profile& profile, int exit_code) {
  nlohmann::ordered_json out;
  out["schema"] = "pinfold.lesson/1";
  out["base"] = profile.base;
  out["exit_code"] = exit_code;
  out["complete"] = profile.complete;
  out["rules"] = nlohmann::json::array();
  for (const ObservedRule& rule : profile.rule_set.rules)
    out["rules"].push_back(
        {{"access", word(rule.access)}, {"path", valid_utf8(rule.path)}, {"by", users_json(rule.users)}});
  out["left_out"] = nlohmann::json::array();
  for (const OmittedRule& one : profile.rule_set.omitted)
    out["left_out"].push_back({{"access", word(one.access)},
                               {"path", valid_utf8(one.path)},
                               {"why", one.why},
                               {"by", users_json(one.users)}});
  out["programs"] = nlohmann::json::array();
  for (const std::string& one : profile.rule_set.programs) out["programs"].push_back(valid_utf8(one));
  out["network"] = nlohmann::json::array();
  for (const std::string& one : profile.rule_set.network) out["network"].push_back(valid_utf8(one));
  out["policy"] = to_toml(profile);
  return out.dump(2) + "\n";
}

}  // namespace pinfold::learn
