// message_test.cc: shapes of messages, good and bad.
#include "mcp/message.h"

#include <gtest/gtest.h>

namespace pinfold::mcp {
namespace {

using Reason = InvalidMessage::Reason;

InvalidMessage unreadable(std::string_view line) {
  IncomingMessage message = read_message(line);
  auto* found = std::get_if<InvalidMessage>(&message);
  EXPECT_NE(found, nullptr) << line;
  return found == nullptr ? InvalidMessage{} : *found;
}

TEST(McpMessage, EachKind) {
  const IncomingMessage request = read_message(R"({"jsonrpc":"2.0","id":"a","method":"ping"})");
  EXPECT_EQ(std::get<Request>(request).id, (Id{"\"a\""}));
  EXPECT_EQ(std::get<Request>(request).method, "ping");
  const IncomingMessage notification = read_message(R"({"jsonrpc":"2.0","method":"x","params":{"a":1}})");
  EXPECT_EQ(std::get<Notification>(notification).params["a"], 1);
  const IncomingMessage reply = read_message(R"({"result":{"b":2},"jsonrpc":"2.0","id":5})");
  EXPECT_EQ(std::get<Reply>(reply).id, Id::of(5));
  const IncomingMessage error =
      read_message(R"({"jsonrpc":"2.0","id":5,"error":{"code":-32601,"message":"no","data":[1]}})");
  EXPECT_EQ(std::get<ErrorReply>(error).error.code, code::kNoMethod);
  EXPECT_EQ(std::get<ErrorReply>(error).error.data, Json::array({1}));
  const IncomingMessage nobody = read_message(R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"?"}})");
  EXPECT_FALSE(std::get<ErrorReply>(nobody).id);
}

TEST(McpMessage, InvalidMessagesGiveReasonAndId) {
  const struct {
    const char* line;
    Reason why;
    const char* id;
  } rows[] = {
      {"Server listening on stdio", Reason::kNotJson, ""},
      {"42", Reason::kNotJson, ""},
      {R"({"jsonrpc":"2.0","id":9,"result":{)", Reason::kBroken, "9"},
      {R"({"jsonrpc":"2.0","id":9,"id":9,"result":{}})", Reason::kBroken, "9"},
      {"{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{\"a\":\"\xc3\x28\"}}", Reason::kNotUtf8, "9"},
      {"caf\xe9", Reason::kNotUtf8, ""},
      {R"([{"jsonrpc":"2.0","id":9,"result":{}}])", Reason::kBatch, ""},
      {R"({"id":9,"result":{}})", Reason::kBadShape, "9"},
      {R"({"jsonrpc":"2.0","id":9})", Reason::kBadShape, "9"},
      {R"({"jsonrpc":"2.0","id":9,"result":{},"error":{"code":1,"message":""}})", Reason::kBadShape, "9"},
      {R"({"jsonrpc":"2.0","id":9,"result":[]})", Reason::kBadShape, "9"},
      {R"({"jsonrpc":"2.0","id":9,"error":"bad"})", Reason::kBadShape, "9"},
      {R"({"jsonrpc":"2.0","id":1.5,"result":{}})", Reason::kBadShape, ""},
      {R"({"jsonrpc":"2.0","id":null,"method":"x"})", Reason::kBadShape, ""},
      {R"({"jsonrpc":"2.0","id":9,"method":5})", Reason::kBadShape, ""},  // the id of the server's request
      {R"({"jsonrpc":"2.0","id":9,"method":"x","params":[1]})", Reason::kBadShape, ""},
  };
  for (const auto& row : rows) {
    const InvalidMessage found = unreadable(row.line);
    EXPECT_EQ(static_cast<int>(found.reason), static_cast<int>(row.why)) << row.line;
    EXPECT_EQ(found.id.value_or(Id{}).token, row.id) << row.line;
    EXPECT_FALSE(found.story.empty());
  }
}

TEST(McpMessage, DeepNestingIsRefusedWithItsId) {
  const std::string line =
      R"({"jsonrpc":"2.0","result":{"a":)" + std::string(100'000, '[') + std::string(100'000, ']') + R"(},"id":3})";
  EXPECT_EQ(unreadable(line).id, Id::of(3));
}

TEST(McpMessage, IdsRoundTrip) {
  for (const char* id : {"0", "-7", "18446744073709551615", "123456789012345678901234567890", R"("x\ny")", R"("é")"}) {
    const std::string line = std::string(R"({"jsonrpc":"2.0","id":)") + id + R"(,"method":"ping","params":{}})";
    const IncomingMessage message = read_message(line);
    ASSERT_TRUE(std::holds_alternative<Request>(message)) << id;
    EXPECT_EQ(reply_line(std::get<Request>(message).id, {{"id", nullptr}}),
              std::string(R"({"jsonrpc":"2.0","id":)") + id + R"(,"result":{"id":null}})");
  }
}

TEST(McpMessage, LinesHaveNoLineEnds) {
  const Json text = {{"a\nb", "c\r\nd\xe2\x80\xa8"}};
  for (const std::string& line : {request_line(Id::of(1), "m\n", text), notification_line("m", text),
                                  reply_line(Id::of(1), text), error_line(Id::of(1), {1, "x\ny", text})}) {
    EXPECT_EQ(line.find('\n'), std::string::npos);
    EXPECT_EQ(line.find('\r'), std::string::npos);
    EXPECT_FALSE(std::holds_alternative<InvalidMessage>(read_message(line))) << line;
  }
  EXPECT_EQ(error_line(std::nullopt, {code::kNotJson, "x", nullptr}),
            R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}})");
}

}  // namespace
}  // namespace pinfold::mcp
