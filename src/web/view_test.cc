// view_test.cc: the JSON for the page, from events of sandboxes.
#include "web/view.h"

#include <thread>

#include <gtest/gtest.h>

namespace pinfold::web {
namespace {

using namespace std::chrono_literals;
using Json = nlohmann::json;

Json now(View& view, std::uint64_t since = 0) { return Json::parse(view.news(since, 0ms)); }

control::event::Description a_run(const std::string& id) {
  control::event::Description out;
  out.kind = control::SandboxKind::kRun;
  out.id = id;
  out.argv = {"npm", "run", "a b"};
  return out;
}

ApprovalRequest a_question(std::uint64_t id, const std::string& path) {
  ApprovalRequest out;
  out.id = id;
  out.operation = "read";
  out.resource = path;
  out.grant = Grant{Grant::Kind::kRead, path};
  out.risk = {RiskLevel::kHigh, "it reads"};
  return out;
}

TEST(View, ShowsARequestUntilItIsDecided) {
  View view;
  view.appeared(a_run("r1"));
  view.requested("r1", a_question(4, "/secret"));
  Json shown = now(view);
  EXPECT_EQ(shown["sandboxes"][0]["title"], "npm run 'a b'");
  ASSERT_EQ(shown["questions"].size(), 1u);
  EXPECT_EQ(shown["questions"][0]["resource"], "/secret");
  EXPECT_EQ(shown["questions"][0]["grant"], "read /secret");
  EXPECT_EQ(shown["questions"][0]["risk"], "high");
  view.settled("r1", 4, ApprovalDecision::kSession);
  view.settled("r1", 4, ApprovalDecision::kDeny);  // once
  shown = now(view);
  EXPECT_TRUE(shown["questions"].empty());
  ASSERT_EQ(shown["events"].size(), 3u);
  EXPECT_EQ(shown["events"][2]["answer"], "session");
}

TEST(View, ReturnsOnlyNewerEvents) {
  View view;
  view.appeared(a_run("r1"));
  const auto version = now(view)["version"].get<std::uint64_t>();
  EXPECT_TRUE(now(view, version)["events"].empty());
  view.denied("r1", Denial{});
  const Json shown = now(view, version);
  ASSERT_EQ(shown["events"].size(), 1u);
  EXPECT_EQ(shown["events"][0]["kind"], "denied");
}

TEST(View, WakesWaitingReaders) {
  View view;
  view.appeared(a_run("r1"));
  const auto version = now(view)["version"].get<std::uint64_t>();
  std::thread later([&] { view.connected("r1", Connection{}); });
  EXPECT_EQ(Json::parse(view.news(version, 1h))["events"].size(), 1u);
  later.join();
  view.close();
  EXPECT_TRUE(Json::parse(view.news(version + 1, 1h))["events"].empty());
}

TEST(View, RemovesRequestsAndGrantsOfAnEndedSandbox) {
  View view;
  view.appeared(a_run("r1"));
  view.requested("r1", a_question(1, "/a"));
  view.granted("r1", {{7, {Grant::Kind::kNetwork, "h:443"}, ApprovalDecision::kSession, 5}});
  EXPECT_EQ(now(view)["grants"][0]["what"], "connect to h:443");
  view.ended("r1");
  const Json shown = now(view);
  EXPECT_TRUE(shown["questions"].empty());
  EXPECT_TRUE(shown["grants"].empty());
  EXPECT_EQ(shown["sandboxes"][0]["ended"], true);
  for (int i = 0; i < 100; ++i) {
    view.appeared(a_run("x" + std::to_string(i)));
    view.ended("x" + std::to_string(i));
  }
  EXPECT_EQ(now(view)["sandboxes"].size(), View::kMostEnded);
}

TEST(View, EscapesHostileText) {
  View view;
  auto run = a_run("r1");
  run.argv = {"sh", "\x1b[2J\xe2\x80\xae"};
  view.appeared(run);
  view.requested("r1", a_question(1, "/a\nb\x1b\xe2\x80\xae\xe2\x80\x8b\xff</script>"));
  const std::string resource = now(view)["questions"][0]["resource"];
  EXPECT_EQ(resource.find('\n'), std::string::npos);
  EXPECT_EQ(resource.find('\x1b'), std::string::npos);
  EXPECT_EQ(resource.find("\xe2\x80"), std::string::npos);
  EXPECT_NE(resource.find("\\u{202e}"), std::string::npos) << resource;
  EXPECT_EQ(now(view)["sandboxes"][0]["title"].get<std::string>().find("\xe2\x80\xae"), std::string::npos);
}

TEST(View, BoundsItsHistory) {
  View view;
  view.appeared(a_run("r1"));
  Denial denial;
  denial.resource = std::string(100'000, 'x');
  for (std::size_t i = 0; i < View::kMostEvents + 5; ++i) view.denied("r1", denial);
  const Json shown = now(view);
  EXPECT_EQ(shown["events"].size(), View::kMostEvents);
  EXPECT_LT(shown["events"][0]["what"].get<std::string>().size(), 1000u);
}

}  // namespace
}  // namespace pinfold::web
