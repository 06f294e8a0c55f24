// message.cc: parses and writes JSON-RPC messages.
#include "mcp/message.h"

#include <utility>

#include "base/utf8.h"
#include "mcp/id_finder.h"

namespace pinfold::mcp {
namespace {

using Reason = InvalidMessage::Reason;

std::optional<Id> id_in(std::string_view line) {
  IdFinder finder;
  finder.feed(line);
  // Through the parser, so that 7 stays 7 and the escapes of a string are normalised as in a parsed message.
  const auto token = finder.found();
  if (!token) return std::nullopt;
  if (!token->starts_with('"')) return Id{*token};
  const auto value = read_json(*token);
  if (!value) return std::nullopt;
  return Id{write_json(*value)};
}

std::optional<Id> id_of(const JsonText& text) {
  const Json* id = member(text.value, "id");
  if (id == nullptr) return std::nullopt;
  if (!text.id_digits.empty()) return Id{text.id_digits};
  if (id->is_string() || id->is_number_integer()) return Id{write_json(*id)};
  return std::nullopt;
}

IncomingMessage malformed(std::string story, std::optional<Id> id) {
  return InvalidMessage{Reason::kBadShape, std::move(story), std::move(id)};
}

IncomingMessage read_call(JsonText& text, std::optional<Id> id) {
  Json& object = text.value;
  const Json& method = object["method"];
  // The id belongs to the server's request: it must not be matched with a request of the client.
  if (!method.is_string()) return malformed("its method is not a string", std::nullopt);
  Json params = Json::object();
  if (member(object, "params") != nullptr) params = std::move(object["params"]);
  if (!params.is_object()) return malformed("its params are not an object", std::nullopt);
  auto name = method.get<std::string>();
  if (id) return Request{std::move(*id), std::move(name), std::move(params)};
  if (member(object, "id") != nullptr) return malformed("its id is neither a string nor an integer", std::nullopt);
  return Notification{std::move(name), std::move(params)};
}

IncomingMessage read_error(JsonText& text, std::optional<Id> id) {
  Json& error = text.value["error"];
  const Json* number = member(error, "code");
  const Json* message = member(error, "message");
  if (number == nullptr || !number->is_number_integer() || message == nullptr || !message->is_string())
    return malformed("its error has no code or no message", std::move(id));
  RpcError out{number->get<std::int64_t>(), message->get<std::string>(), nullptr};
  if (member(error, "data") != nullptr) out.data = std::move(error["data"]);
  return ErrorReply{std::move(id), std::move(out)};
}

Json headed(const std::optional<Id>& id) {
  Json out = {{"jsonrpc", "2.0"}};
  // finish() inserts the digits: the number may not fit into 64 bits.
  if (id) out["id"] = nullptr;
  return out;
}

std::string finish(const Json& message, const std::optional<Id>& id) {
  std::string line = write_json(message);
  constexpr std::string_view kHole = "\"id\":null";
  // The first occurrence: only "jsonrpc" is before it.
  if (id) line.replace(line.find(kHole), kHole.size(), "\"id\":" + id->token);
  return line;
}

}  // namespace

IncomingMessage read_message(std::string_view line) {
  auto text = read_json_text(line);
  if (!text) {
    const Reason why = !is_utf8(line) ? Reason::kNotUtf8 : line.starts_with('{') ? Reason::kBroken : Reason::kNotJson;
    std::string story = why == Reason::kNotUtf8 ? "it is not UTF-8" : text.error().text();
    return InvalidMessage{why, std::move(story), id_in(line)};
  }
  if (text->value.is_array())
    return InvalidMessage{Reason::kBatch, "it is a batch, which this protocol does not have", {}};
  if (!text->value.is_object()) return InvalidMessage{Reason::kNotJson, "it is not a JSON object", {}};
  std::optional<Id> id = id_of(*text);
  const Json* version = member(text->value, "jsonrpc");
  if (version == nullptr || *version != "2.0") return malformed("it is not JSON-RPC 2.0", std::move(id));
  if (member(text->value, "method") != nullptr) return read_call(*text, std::move(id));
  const bool has_result = member(text->value, "result") != nullptr;
  const bool has_error = member(text->value, "error") != nullptr;
  if (has_result == has_error) return malformed("it is neither a call nor an answer", std::move(id));
  if (has_error) return read_error(*text, std::move(id));
  if (!id) return malformed("its id is neither a string nor an integer", std::nullopt);
  if (!text->value["result"].is_object()) return malformed("its result is not an object", std::move(id));
  return Reply{std::move(*id), std::move(text->value["result"])};
}

std::string request_line(const Id& id, std::string_view method, const Json& params) {
  Json out = headed(id);
  out["method"] = method;
  out["params"] = params;
  return finish(out, id);
}

std::string notification_line(std::string_view method, const Json& params) {
  Json out = headed(std::nullopt);
  out["method"] = method;
  if (!params.empty()) out["params"] = params;
  return finish(out, std::nullopt);
}

std::string reply_line(const Id& id, const Json& result) {
  Json out = headed(id);
  out["result"] = result;
  return finish(out, id);
}

std::string error_line(const std::optional<Id>& id, const RpcError& error) {
  Json out = headed(id);
  if (!id) out["id"] = nullptr;
  out["error"] = {{"code", error.code}, {"message", error.message}};
  if (!error.data.is_null()) out["error"]["data"] = error.data;
  return finish(out, id);
}

}  // namespace pinfold::mcp
