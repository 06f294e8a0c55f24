// line_reader_test.cc: lines and ids, for every split of the bytes.
#include "mcp/line_reader.h"

#include <gtest/gtest.h>

#include <vector>

namespace pinfold::mcp {
namespace {

struct ReceivedLines {
  std::vector<std::string> lines;
  std::vector<std::string> overlong;  // "bytes id"
  LineReader::Handlers handlers() {
    return {[this](std::string_view line) { lines.emplace_back(line); },
            [this](std::uint64_t bytes, const std::optional<std::string>& id) {
              overlong.push_back(std::to_string(bytes) + " " + id.value_or("-"));
            }};
  }
  bool operator==(const ReceivedLines&) const = default;
};

ReceivedLines read_in_pieces(std::string_view bytes, std::size_t piece, std::size_t longest) {
  ReceivedLines seen;
  LineReader reader(longest);
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size())))
    reader.feed(bytes.substr(0, piece), seen.handlers());
  reader.finish(seen.handlers());
  return seen;
}

TEST(McpLineReader, LinesWithAnyCuts) {
  const std::string bytes = "one\r\n\n\r\ntwo\nthr\ree\n" + std::string(40, 'x') + "\nlast";
  const ReceivedLines whole = read_in_pieces(bytes, bytes.size(), 20);
  EXPECT_EQ(whole.lines, (std::vector<std::string>{"one", "two", "thr\ree", "last"}));
  EXPECT_EQ(whole.overlong, std::vector<std::string>{"40 -"});
  for (std::size_t piece = 1; piece < 50; ++piece) EXPECT_EQ(read_in_pieces(bytes, piece, 20), whole) << piece;
}

TEST(McpLineReader, AnOverlongLineShowsItsId) {
  const std::string filler(100, 'x');
  const struct {
    std::string line, id;
  } rows[] = {
      {R"({"jsonrpc":"2.0","id":7,"result":")" + filler + "\"}", "7"},
      {R"({"result":{"id":3,"a":"{\"id\":4,)" + filler + R"("},"jsonrpc":"2.0","id":"a\"b"})", R"("a\"b")"},
      {R"({"result":[)" + filler + R"(],"id": -12 })", "-12"},
      {R"({"id":{"id":1},"x":")" + filler + "\"}", "-"},
      {R"({"id":1.5,"x":")" + filler + "\"}", "-"},
      {R"([{"id":1,"x":")" + filler + "\"}]", "-"},
      {R"({"id":")" + std::string(300, '9') + "\"}", "-"},
      {filler + R"({"id":1})", "-"},
  };
  for (const auto& row : rows) {
    for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, row.line.size() + 1}) {
      const ReceivedLines seen = read_in_pieces(row.line + "\nnext\n", piece, 50);
      EXPECT_EQ(seen.overlong, std::vector<std::string>{std::to_string(row.line.size()) + " " + row.id}) << row.line;
      EXPECT_EQ(seen.lines, std::vector<std::string>{"next"});
    }
  }
}

TEST(McpLineReader, AnEndlessLineTakesNoMemory) {
  ReceivedLines seen;
  LineReader reader(1000);
  const std::string piece(1 << 16, 'x');
  for (int i = 0; i < 16384; ++i) reader.feed(piece, seen.handlers());  // 1 GiB: too much memory if the reader kept it
  reader.feed("\nnext\n", seen.handlers());
  EXPECT_EQ(seen.overlong, std::vector<std::string>{"1073741824 -"});
  EXPECT_EQ(seen.lines, std::vector<std::string>{"next"});
}

TEST(McpLineReader, ALineOfExactlyTheLengthIsRead) {
  EXPECT_EQ(read_in_pieces(std::string(20, 'x') + "\n", 3, 20).lines.size(), 1U);
  EXPECT_EQ(read_in_pieces(std::string(21, 'x') + "\n", 3, 20).overlong.size(), 1U);
  EXPECT_EQ(read_in_pieces(std::string(21, 'x') + "\n", 22, 20).overlong.size(), 1U);
}

}  // namespace
}  // namespace pinfold::mcp
