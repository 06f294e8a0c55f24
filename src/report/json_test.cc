// json_test.cc: the report's JSON, field by field; tests/cli holds it against the published schema.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "report/render.h"

namespace pinfold::report {
namespace {

using nlohmann::json;

Report sample() {
  Report report;
  report.outcome = Exited{3};
  report.backend = "native";
  report.coverage = {{"files.read", Need::kRequired, Strength::kEnforced, "mount namespace", "", ""},
                     {"limit.memory", Need::kBestEffort, Strength::kPartial, "watch", "polled", "delegate a cgroup"}};
  report.denials = {{"read", "/home/ada/.ssh", "not visible: no rule grants this path", "--read /home/ada/.ssh",
                     DenialSource::kInferred, 2}};
  report.choice = {{"native", false, false, "no namespaces", "a sysctl"}, {"landlock", true, true, "enforces all", ""}};
  report.accepted_gaps = {{"exec", Need::kRequired, Strength::kPartial, "Landlock", "the loader", ""}};
  report.notes = {"undone: .vscode"};
  report.usage = {std::chrono::microseconds(12345), std::chrono::microseconds(500), 4096, 3};
  report.started_at = std::chrono::system_clock::time_point(std::chrono::milliseconds(1'000'000'000'123));
  return report;
}

json outcome(Outcome value) {
  Report report;
  report.outcome = std::move(value);
  return json::parse(to_json(report))["outcome"];
}

TEST(Json, HasEveryField) {
  const std::string text = to_json(sample());
  EXPECT_EQ(text.back(), '\n');
  const json j = json::parse(text);
  EXPECT_EQ(j["schema"], "pinfold.report/1");
  EXPECT_EQ(j["exit_code"], 3);
  EXPECT_EQ(j["backend"], "native");
  EXPECT_EQ(j["coverage"][0]["gap"], nullptr);
  EXPECT_EQ(j["coverage"][0]["required"], true);
  EXPECT_EQ(j["coverage"][1]["strength"], "partial");
  EXPECT_EQ(j["coverage"][1]["required"], false);
  EXPECT_EQ(j["denials"][0]["source"], "inferred");
  EXPECT_EQ(j["denials"][0]["count"], 2);
  EXPECT_FALSE(j["denials"][0].contains("resource_bytes"));
  EXPECT_EQ(j["choice"][0], json({{"backend", "native"},
                                  {"chosen", false},
                                  {"stands", false},
                                  {"why", "no namespaces"},
                                  {"fix", "a sysctl"}}));
  EXPECT_EQ(j["choice"][1]["chosen"], true);
  EXPECT_EQ(j["choice"][1]["fix"], nullptr);
  EXPECT_EQ(j["accepted_gaps"].size(), 1u);
  EXPECT_EQ(j["accepted_gaps"][0]["gap"], "the loader");
  EXPECT_EQ(j["notes"][0], "undone: .vscode");
  EXPECT_DOUBLE_EQ(j["usage"]["wall_ms"].get<double>(), 12.345);
  EXPECT_EQ(j["usage"]["peak_memory_bytes"], 4096);
  EXPECT_EQ(j["started_at"], "2001-09-09T01:46:40.123Z");
}

TEST(Json, EachOutcomeCarriesItsOwnData) {
  EXPECT_EQ(outcome(Exited{3}), json({{"kind", "exited"}, {"code", 3}}));
  EXPECT_EQ(outcome(Signaled{9, "limit.memory"}),
            json({{"kind", "signaled"}, {"signal", 9}, {"name", "SIGKILL"}, {"by", "limit.memory"}}));
  EXPECT_EQ(outcome(Signaled{15, ""})["by"], nullptr);
  EXPECT_EQ(outcome(TimedOut{std::chrono::milliseconds(250)}), json({{"kind", "timed_out"}, {"after_ms", 250}}));
  EXPECT_EQ(outcome(Refused{RefusedBy::kEnforcement, "r", "f"}),
            json({{"kind", "refused"}, {"by", "enforcement"}, {"reason", "r"}, {"fix", "f"}}));
  EXPECT_EQ(outcome(SetupFailed{SetupStage::kNotFound, "r", ""}),
            json({{"kind", "setup_failed"}, {"stage", "not_found"}, {"reason", "r"}, {"fix", nullptr}}));
}

TEST(Json, InvalidUtf8StaysValidJsonAndLosesNothing) {
  Report report = sample();
  report.denials[0].resource = "/a\xff\n\"";
  report.denials[0].rule = "\xc3";
  const json j = json::parse(to_json(report));
  EXPECT_EQ(j["denials"][0]["resource"], "/a\xEF\xBF\xBD\n\"");
  EXPECT_EQ(j["denials"][0]["resource_bytes"], "L2H/CiI=");
  EXPECT_EQ(j["denials"][0]["rule"], "\xEF\xBF\xBD");
}

}  // namespace
}  // namespace pinfold::report
