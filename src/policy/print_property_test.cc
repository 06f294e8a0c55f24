// print_property_test.cc: a policy that was printed and read back is the same policy.
// Invariant: rule by rule, with hostile strings in every place that takes text; only where each came from may differ.
// Not here: how it looks (print_test.cc).
#include "policy/print.h"

#include <gtest/gtest.h>

#include <map>

#include "base/domain.h"
#include "base/property.h"
#include "base/utf8.h"
#include "policy/merge.h"
#include "policy/property_world.h"
#include "policy/rank.h"

namespace pinfold::policy {
namespace {

// Pieces of text that break naive quoting; all of it UTF-8.
std::string hostile() {
  static const Names kPieces = {"a",
                                "b c",
                                "\"",
                                "'",
                                "\\",
                                "\n",
                                "\t",
                                "\x01",
                                "\x7f",
                                "#",
                                "=",
                                "\"\"\"",
                                "'''",
                                "[",
                                "]",
                                "{",
                                "}",
                                "*",
                                "?",
                                ",",
                                "$",
                                "\\u0041",
                                "é",
                                "\r\n",
                                "\xE2\x80\xAE",
                                "\xEF\xBB\xBF",
                                "\xF0\x9F\x90\x9B",
                                "\xEF\xBF\xBF",
                                "\xC2\x85",
                                "~",
                                "..."};
  std::string out = *rc::gen::elementOf(Names{"", "", "x", "~", "-"});
  for (int i = *rc::gen::inRange(0, 5); i > 0; --i) out += *rc::gen::elementOf(kPieces);
  return out;
}

std::string hostile_path() {
  std::string out = *rc::gen::elementOf(Names{"/w/", "/", "~/", "", "./", "/w/../"}) + hostile();
  if (*rc::gen::inRange(0, 4) == 0) out += "/";
  return out;
}

// Every rule as text that does not depend on the words of its origin: its place in the order of all ranks, its content.
class Listing {
 public:
  explicit Listing(const Policy& policy) {
    for (const auto& one : policy.paths) note(one.origin);
    for (const auto& one : policy.patterns) note(one.origin);
    for (const auto& one : policy.protect) note(one.origin);
    for (const auto& one : policy.environment) note(one.origin);
    for (const Origin* one :
         {&policy.network.origin, &policy.exec.origin, &policy.workspace_access_origin, &policy.home_origin,
          &policy.tmp_origin, &policy.session_origin, &policy.pid_origin, &policy.debuggers_origin,
          &policy.observe_origin, &policy.ignored_origin, &policy.absolute_paths_origin, &policy.on_unavailable_origin})
      note(*one);
    const Limits& limits = policy.limits;
    if (limits.wall_time) note(limits.wall_time->origin);
    if (limits.memory) note(limits.memory->origin);
    if (limits.processes) note(limits.processes->origin);
    int next = 0;
    for (auto& [key, place] : places_) place = next++;

    // Reading the preset adds its own rules again.
    for (const auto& one : policy.paths)
      if (one.origin.source != Source::kPreset || one.workspace)
        add(one.origin, "path " + std::to_string(static_cast<int>(one.access)) +
                            std::to_string(static_cast<int>(one.missing)) + (one.workspace ? "w " : " ") + one.path);
    for (const auto& one : policy.patterns)
      if (one.origin.source != Source::kPreset) add(one.origin, "pattern " + one.glob);
    for (const auto& one : policy.protect)
      if (one.origin.source != Source::kPreset) add(one.origin, "protect " + one.name);
    std::sort(lines.begin(), lines.end());
    // In one layer the order of variables counts.
    std::map<int, std::string> variables;
    for (const auto& one : policy.environment)
      variables[places_.at(rank(one.origin))] += one.name + (one.value ? "=" + *one.value : "") + "|";
    for (const auto& [place, all] : variables) lines.push_back(std::to_string(place) + " env " + all);
    for (const auto& one : policy.exec.commands) lines.push_back("command " + one);
    for (const auto& one : policy.network.domains) lines.push_back("domain " + print_rule(one));
    for (const auto& one : policy.workspaces) lines.push_back("workspace " + one);
    value("network", policy.network.origin, policy.network.mode);
    value("exec", policy.exec.origin, policy.exec.mode);
    value("workspace_access", policy.workspace_access_origin, policy.workspace_access);
    value("home", policy.home_origin, policy.home);
    value("tmp", policy.tmp_origin, policy.tmp);
    value("session", policy.session_origin, policy.session);
    value("pid", policy.pid_origin, policy.pid);
    value("debuggers", policy.debuggers_origin, policy.debuggers);
    value("observe", policy.observe_origin, policy.observe);
    value("ignored", policy.ignored_origin, policy.ignored);
    value("allow_absolute", policy.absolute_paths_origin, policy.absolute_paths);
    value("on_unavailable", policy.on_unavailable_origin, policy.on_unavailable);
    if (limits.wall_time) value("time", limits.wall_time->origin, limits.wall_time->value.count());
    if (limits.memory) value("memory", limits.memory->origin, limits.memory->value);
    if (limits.processes) value("processes", limits.processes->origin, limits.processes->value);
  }
  std::vector<std::string> lines;

 private:
  void note(const Origin& origin) { places_[rank(origin)] = 0; }
  void add(const Origin& origin, std::string text) {
    lines.push_back(std::to_string(places_.at(rank(origin))) + " " + std::move(text));
  }
  template <typename T>
  void value(const char* name, const Origin& origin, T what) {
    add(origin, std::string(name) + " " + std::to_string(static_cast<long long>(what)));
  }
  std::map<int, int> places_;
};

void say_something(PolicyBuilder& builder, int number) {
  Origin origin = random_origin();
  origin.where = "line\n" + hostile() + std::to_string(number);
  const Missing missing = *rc::gen::element(Missing::kError, Missing::kSkip);
  switch (*rc::gen::inRange(0, 24)) {
    case 0: builder.read(hostile_path(), origin, missing); break;
    case 1: builder.write(hostile_path(), origin, missing); break;
    case 2: builder.hide_path(hostile_path(), origin, missing); break;
    case 3:
    case 4: builder.hide(hostile_path(), origin); break;
    case 5: builder.protect(hostile_path(), origin); break;
    case 6: builder.workspace(hostile_path(), origin); break;
    case 7: builder.env("V=" + hostile(), origin); break;
    case 8: builder.env(*rc::gen::elementOf(kVariables), origin); break;
    case 9: builder.exec_command("c" + hostile(), origin); break;
    case 10: builder.exec_none(origin); break;
    case 11: builder.timeout(std::to_string(*rc::gen::inRange(1, 100000000)) + "ms", origin); break;
    case 12: builder.memory(std::to_string(*rc::gen::inRange<std::int64_t>(1, std::int64_t{1} << 62)), origin); break;
    case 13: builder.processes(std::to_string(*rc::gen::inRange(1, 4194305)), origin); break;
    case 14: builder.tmp(*rc::gen::element(TmpMode::kPrivate, TmpMode::kHost), origin); break;
    case 15: builder.session(*rc::gen::element(SessionMode::kNew, SessionMode::kShared), origin); break;
    case 16: builder.on_unavailable(*rc::gen::elementOf(Names{"deny", "warn", "prompt"}), origin); break;
    case 17:
    case 18:
      builder.network_domain(*rc::gen::elementOf(Names{"a.org", "*.a.org", "!B.a.org", "localhost:80", "10.0.0.0/8:22",
                                                       "[fd00::1]:443", "fd00::/8", "é.org", "*.xn--bcher-kva.de:1"}),
                             origin);
      break;
    case 19:
      builder.observe(*rc::gen::element(ObserveMode::kOff, ObserveMode::kFast, ObserveMode::kFull), origin);
      break;
    case 22: builder.debuggers(*rc::gen::element(Debuggers::kRefused, Debuggers::kAllowed), origin); break;
    case 20: builder.ignored(*rc::gen::element(Ignored::kDeny, Ignored::kAsk, Ignored::kAllow), origin); break;
    case 21:
      builder.absolute_paths(*rc::gen::element(AbsolutePaths::kRefused, AbsolutePaths::kAccepted), origin);
      break;
    default: builder.allow(danger::HostNetwork("test"), origin);
  }
}

TEST(PrintProperty, ReadingBackIsTheIdentity) {
  int compared = 0;
  EXPECT_EQ(holds("to_toml() reads back as the same policy", 1000,
                  [&] {
                    const auto preset = *rc::gen::elementOf(Names{"moderate", "strict", "permissive", "read-only"});
                    PolicyBuilder builder(preset, kMia, {Source::kFlag, "test"});
                    for (int i = *rc::gen::inRange(0, 10); i > 0; --i) {
                      const std::size_t mistakes = builder.problems().size();
                      say_something(builder, i);
                      if (builder.problems().size() != mistakes) return;
                    }
                    const auto policy = std::move(builder).build();
                    if (!policy) return;
                    ++compared;
                    const std::string text = to_toml(*policy);
                    RC_LOG(text);
                    RC_ASSERT(is_utf8(text));
                    const Document document = read_document(text, Notation::kToml, "printed", Source::kUserFile, {});
                    Layers layers;
                    layers.caller = kMia;
                    layers.user = &document;
                    const auto again = merge(layers);
                    if (!again) RC_LOG(again.error().text());
                    RC_ASSERT(again.has_value());
                    RC_ASSERT(again->profile == policy->profile);
                    RC_ASSERT(Listing(*again).lines == Listing(*policy).lines);
                    RC_ASSERT(to_json(*policy).find("\"paths\"") != std::string::npos);
                  }),
            "");
  EXPECT_GT(compared, enough(150));
}

// One string in every place, so that every code point of the lower planes is seen.
TEST(PrintProperty, EveryCharacterCanBeQuoted) {
  for (unsigned code = 1; code < 0x3000; ++code) {
    std::string text = "x";
    if (code < 0x80) {
      text += static_cast<char>(code);
    } else if (code < 0x800) {
      text += static_cast<char>(0xC0U | (code >> 6U));
      text += static_cast<char>(0x80U | (code & 0x3FU));
    } else {
      text += static_cast<char>(0xE0U | (code >> 12U));
      text += static_cast<char>(0x80U | ((code >> 6U) & 0x3FU));
      text += static_cast<char>(0x80U | (code & 0x3FU));
    }
    const ParsedText parsed = parse_toml("k = " + toml_string(text));
    ASSERT_TRUE(parsed.mistakes.empty()) << code << ": " << parsed.mistakes[0].what;
    ASSERT_EQ(std::get<std::string>(parsed.root.at(0).node.value), text) << code;
  }
}

}  // namespace
}  // namespace pinfold::policy
