// stderr_ring_test.cc: bounded, filtered, in lines; and the filter's default.
#include "mcp/stderr_ring.h"

#include <gtest/gtest.h>

#include <vector>

#include "mcp/filter.h"

namespace pinfold::mcp {
namespace {

class RedactingFilter : public Filter {
 public:
  std::string text(OutputKind /*speech*/, std::string_view words) override {
    std::string out(words);
    for (std::size_t at = 0; (at = out.find("secret", at)) != std::string::npos;) out.replace(at, 6, "*");
    return out;
  }
};

TEST(McpStderr, LinesAreCleanedBeforeTheyAreKept) {
  RedactingFilter filter;
  std::vector<std::string> shown;
  StderrRing ring(
      100, [&](std::string_view line) { return filter.text(OutputKind::kStderr, line); },
      [&](const std::string& line) { shown.push_back(line); });
  ring.feed("a sec");
  ring.feed("ret\r\nbad \xff\nrest");
  EXPECT_EQ(shown, (std::vector<std::string>{"a *", "bad \xEF\xBF\xBD"}));
  ring.finish();
  EXPECT_EQ(ring.lines().back(), "rest");
}

TEST(McpStderr, OnlyTheLastLinesAreKept) {
  StderrRing ring(
      64 << 10, [](std::string_view line) { return std::string(line); }, [](const std::string&) {});
  const std::string piece(10'000, 'x');
  for (int i = 0; i < 1000; ++i) ring.feed(piece);  // one line without end
  for (int i = 0; i < 20'000; ++i) ring.feed("\nline " + std::to_string(i));
  ring.finish();
  std::size_t held = 0;
  for (const std::string& line : ring.lines()) held += line.size();
  EXPECT_LE(held, std::size_t{64} << 10);
  EXPECT_EQ(ring.lines().back(), "line 19999");
  EXPECT_GT(ring.lines().size(), 1000U);
}

TEST(McpFilter, FiltersEveryStringAndKey) {
  RedactingFilter filter;
  const Json clean =
      filter.json(OutputKind::kResult, *read_json(R"({"a":["secret",1,{"secret":"x","my secret":"secrets"}]})"));
  EXPECT_EQ(write_json(clean), R"({"a":["*",1,{"*#0":"x","my *#1":"*s"}]})");
}

}  // namespace
}  // namespace pinfold::mcp
