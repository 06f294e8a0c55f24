// sbpl_property_test.cc: random policies as profiles, judged by two readers that know nothing of the writer, against
// the plan. Invariant: every attempt is decided as PlanView decides it, for any rules, paths and bytes in
// them. Not here: a Mac; what the kernel there makes of a profile is known only as far as docs/reference/macos.md says.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>

#include "backend/darwin/sbpl.h"
#include "backend/darwin/sbpl_evaluator.h"
#include "base/property.h"
#include "plan/compile.h"
#include "policy/property_world.h"
#include "policy/scope.h"
#include "sbpl_world.h"

namespace pinfold::backend::darwin {
namespace {

using policy::World;

const std::vector<std::string> kOperations = {"file-read-data",    "file-read-metadata", "file-write-data",
                                              "file-write-create", "file-write-unlink",  "process-exec"};

// A file for TinyScheme: the prelude, profiles, questions.
class SchemeFile {
 public:
  SchemeFile() {
    std::ifstream prelude(PINFOLD_ROOT "/tests/platforms/seatbelt.scm");
    out_ << prelude.rdbuf();
  }
  void profile(const Profile& profile) {
    out_ << "(begin-profile (list";
    for (const auto& [name, value] : profile.parameters)
      out_ << " (cons (string->symbol " << sbpl_string(name) << ") " << sbpl_string(value) << ")";
    out_ << "))\n" << profile.text;
  }
  void ask(bool allowed, const Operation& tried) {
    out_ << "(ask '" << (allowed ? "allow" : "deny");
    for (const std::string* each : {&tried.operation, &tried.path, &tried.name, &tried.remote}) put_bytes(*each);
    out_ << " '" << (tried.target.empty() ? "none" : tried.target) << ")\n";
  }
  void ask_string(const std::string& text) {
    out_ << "(ask-string " << sbpl_string(text);
    put_bytes(text);
    out_ << ")\n";
  }
  // What TinyScheme says, or empty where all its answers are the ones that were expected.
  std::string run(int expected_answers) {
    out_ << "(finish)\n";
    char name[] = "/tmp/pinfold-scheme-XXXXXX";
    const int fd = ::mkstemp(name);
    EXPECT_GE(fd, 0);
    std::ofstream(name) << out_.str();
    // Debian's TinyScheme crashes or hangs on any input now and then, by where its memory lies: then it is asked again.
    std::string said;
    for (int turn = 0; turn < 30 && said.find(" answers, ") == std::string::npos; ++turn) {
      said.clear();
      FILE* scheme = ::popen(("timeout 20 tinyscheme " + std::string(name) + " </dev/null 2>&1").c_str(), "r");
      if (scheme == nullptr) continue;
      for (int c = std::fgetc(scheme); c != EOF; c = std::fgetc(scheme)) said += static_cast<char>(c);
      ::pclose(scheme);
    }
    ::close(fd);
    ::unlink(name);
    return said.ends_with(std::to_string(expected_answers) + " answers, 0 wrong\n") ? "" : said.substr(0, 4000);
  }

 private:
  void put_bytes(const std::string& text) {
    out_ << " '(";
    for (const char c : text) out_ << static_cast<int>(static_cast<unsigned char>(c)) << " ";
    out_ << ")";
  }
  std::ostringstream out_;
};

std::map<std::string, std::string> as_map(const Profile& profile) {
  return {profile.parameters.begin(), profile.parameters.end()};
}

void random_policy(const World& world, PolicyBuilder& builder) {
  for (int i = *rc::gen::inRange(0, 12); i > 0; --i) {
    const Origin origin = policy::random_origin();
    switch (*rc::gen::inRange(0, 13)) {
      case 0:
      case 1:
      case 2: builder.read(world.path(), origin, Missing::kSkip); break;
      case 3:
      case 4:
      case 5: builder.write(world.path(), origin, Missing::kSkip); break;
      case 6: builder.hide_path(world.path(), origin, Missing::kSkip); break;
      case 7: builder.hide(*rc::gen::elementOf(policy::kPatterns), origin); break;
      case 8: builder.protect(*rc::gen::elementOf(policy::kProtectNames), origin); break;
      case 9: builder.protect(world.path(), origin); break;
      case 10: builder.workspace(world.workspace(), origin); break;
      case 11: *rc::gen::arbitrary<bool>() ? builder.exec_any(origin) : builder.exec_none(origin); break;
      default: builder.tmp(*rc::gen::element(TmpMode::kPrivate, TmpMode::kHost), origin);
    }
  }
}

struct Planned {
  policy::Scope scope;
  Plan plan;
};

std::optional<Planned> random_plan(World& world) {
  PolicyBuilder builder(*rc::gen::element<std::string>("empty", "empty", "moderate"), policy::kMia,
                        {Source::kFlag, "test"});
  random_policy(world, builder);
  const auto made = std::move(builder).build();
  if (!made) return std::nullopt;
  auto scope = policy::Scope::build(*made, world.host);
  if (!scope) return std::nullopt;
  world.host.program("/usr/bin/true");
  plan::Invocation invocation;
  invocation.working_dir = "/";
  auto plan = plan::compile(*scope, world.host, invocation);
  if (!plan) return std::nullopt;
  return Planned{std::move(*scope), std::move(*plan)};
}

// The plan's decision, with the names that its patterns hide.
std::optional<bool> wanted(const Planned& planned, const plan::PlanView& view, const std::string& operation,
                           const std::string& path) {
  const auto by_plan = expected(view, planned.plan, operation, path);
  const policy::ScopeLookup lookup = planned.scope.look_up(path);
  if (!by_plan || !*by_plan || lookup.rule < 0) return by_plan;
  const std::string& rule = planned.scope.rules()[static_cast<std::size_t>(lookup.rule)].path;
  const auto hidden = hidden_by_name(planned.plan, rule, path);
  return hidden ? std::optional(!*hidden) : std::nullopt;
}

TEST(SbplProperty, DecidesAsThePlanDoes) {
  std::optional<SchemeFile> scheme;  // one for each profile, with few questions: TinyScheme has little memory
  constexpr int kInFile = 15;
  int policies = 0, answers = 0, by_name = 0, handed_over = 0, in_file = 0;
  EXPECT_EQ(
      holds("a profile decides as its plan", 1500,
            [&] {
              World world;
              const auto planned = random_plan(world);
              if (!planned) return;
              const Plan* plan = &planned->plan;
              const plan::PlanView view(*plan);
              const Profile profile = make_profile(*plan, {"/private/var/folders/run", ""}, "pinfold-1", 0);
              const Evaluator evaluator(profile.text, as_map(profile));
              const bool share = ++policies % 60 == 0;
              if (share && in_file > 0) {
                EXPECT_EQ(scheme->run(std::exchange(in_file, 0)), "");
              }
              if (share) scheme.emplace().profile(profile);
              for (const std::string& path : world.compared)
                for (const std::string& operation : kOperations) {
                  const auto want = wanted(*planned, view, operation, path);
                  if (!want) continue;
                  const Operation tried{operation, canonical(path)};
                  ++answers;
                  if (share && in_file < kInFile && answers % 11 == 0)
                    ++handed_over, ++in_file, scheme->ask(*want, tried);
                  by_name += !*want && operation == "file-read-data" && *expected(view, *plan, operation, path);
                  if (evaluator.allows(tried) == *want && evaluator.allows_by_most_specific_operation(tried) == *want)
                    continue;
                  RC_LOG(describe(*plan));
                  RC_LOG(profile.text);
                  RC_FAIL(operation + " " + path + " should be " + (*want ? "allowed" : "denied"));
                }
            }),
      "");
  if (in_file > 0) {
    EXPECT_EQ(scheme->run(in_file), "");
  }
  EXPECT_GT(policies, enough(500));
  EXPECT_GT(handed_over, enough(100));
  EXPECT_GT(by_name, enough(100));
  std::printf("%d policies, %d answers, %d of them by TinyScheme too, %d hidden by name alone\n", policies, answers,
              handed_over, by_name);
}

std::string hostile_text() {
  static const std::vector<std::string> kParts = {"\"",
                                                  "\\",
                                                  "(",
                                                  ")",
                                                  "#\"",
                                                  ";",
                                                  "\n",
                                                  "\r",
                                                  "\t",
                                                  " ",
                                                  "'",
                                                  "`",
                                                  ",",
                                                  ",@",
                                                  "|",
                                                  "^",
                                                  "$",
                                                  ".",
                                                  "*",
                                                  "+",
                                                  "?",
                                                  "[",
                                                  "]",
                                                  "{",
                                                  "}",
                                                  "é",
                                                  "😀",
                                                  "\xff",
                                                  "\x01",
                                                  "(allow default)",
                                                  "\")(allow file-write* (subpath \"/\"))(deny x \"",
                                                  "\\\"",
                                                  "a",
                                                  "b",
                                                  "#t",
                                                  "#\\x",
                                                  "k",
                                                  "S"};
  std::string out;
  for (int i = *rc::gen::inRange(0, 9); i > 0; --i) out += *rc::gen::elementOf(kParts);
  return out;
}

TEST(SbplProperty, QuotedTextRoundTrips) {
  std::optional<SchemeFile> scheme;
  int count = 0;
  EXPECT_EQ(holds("quoted text reads back", 3000,
                  [&] {
                    const std::string text = hostile_text();
                    const auto forms = FormReader::all(sbpl_string(text));
                    RC_ASSERT(forms.size() == 1U);
                    RC_ASSERT(forms[0].kind == Form::Kind::kString);
                    RC_ASSERT(forms[0].text == text);
                    if (text.find('\xff') != std::string::npos) return;  // ends the file for TinyScheme
                    if (count == 0) scheme.emplace();
                    scheme->ask_string(text);
                    if (++count < 100) return;
                    EXPECT_EQ(scheme->run(std::exchange(count, 0)), "");
                  }),
            "");
  if (count > 0) {
    EXPECT_EQ(scheme->run(count), "");
  }
}

// A path with such text in it opens itself, and nothing else.
TEST(SbplProperty, NoPathReachesOutOfItsRule) {
  EXPECT_EQ(
      holds("hostile paths", 1500,
            [] {
              std::string name = hostile_text();
              std::erase(name, '/');
              std::erase(name, '\n');
              if (name.empty()) return;
              const std::string root = "/w/" + name;
              Plan plan;
              plan.steps.push_back({ShowPath{root, root, View::kWriteExec, EntryKind::kDirectory, Ensure::kExists, {}},
                                    Need::kRequired,
                                    {Source::kFlag, "--write " + hostile_text()}});
              plan.steps.push_back({ProtectName{root, name, NameGuard::kWatch, false}, Need::kRequired, {}});
              const Profile profile = make_profile(plan, {}, "pinfold-1", 0);
              const Evaluator evaluator(profile.text, {});
              RC_ASSERT(evaluator.allows({"file-write-data", root + "/x"}));
              RC_ASSERT(!evaluator.allows({"file-write-data", root + "/" + name}));
              RC_ASSERT(!evaluator.allows({"file-write-data", root + "/" + name + "/x"}));
              RC_ASSERT(!evaluator.allows({"file-write-data", "/w/other"}));
              RC_ASSERT(!evaluator.allows({"file-read-data", "/Users/ada/.ssh/id_rsa"}));
              RC_ASSERT(!evaluator.allows({"network-outbound", "", "", "1.2.3.4:80"}));
            }),
      "");
}

}  // namespace
}  // namespace pinfold::backend::darwin
