// message.h: one line ↔ one JSON-RPC message.
// Invariant: ids are kept verbatim; an InvalidMessage has the reason and, if it can be found, the id of the request
// that it would have answered. Not here: pending requests (pending.h), the meaning of methods.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "mcp/json.h"

namespace pinfold::mcp {

// As JSON text: 7, "seven", 123456789012345678901234567890.
struct Id {
  std::string token;
  static Id of(std::int64_t number) { return {std::to_string(number)}; }
  bool operator==(const Id&) const = default;
};

namespace code {
inline constexpr int kNotJson = -32700;
inline constexpr int kBadShape = -32600;
inline constexpr int kNoMethod = -32601;
inline constexpr int kBadParams = -32602;
inline constexpr int kInternal = -32603;
inline constexpr int kNoSuchVersion = -32022;
}  // namespace code

struct RpcError {
  std::int64_t code = 0;
  std::string message;
  Json data;
};

struct Request {
  Id id;
  std::string method;
  Json params = Json::object();
};
struct Notification {
  std::string method;
  Json params = Json::object();
};
struct Reply {
  Id id;
  Json result;
};
struct ErrorReply {
  std::optional<Id> id;  // none: the server could not read the id of the request
  RpcError error;
};
struct InvalidMessage {
  // kNotJson: noise, such as debug output on stdout; kBroken: begins like a message.
  enum class Reason { kNotJson, kNotUtf8, kBroken, kBatch, kBadShape };
  Reason reason = Reason::kNotJson;
  std::string story;
  std::optional<Id> id;
};
using IncomingMessage = std::variant<Request, Notification, Reply, ErrorReply, InvalidMessage>;

IncomingMessage read_message(std::string_view line);

// Each without the final newline, and without newlines inside.
std::string request_line(const Id& id, std::string_view method, const Json& params);
std::string notification_line(std::string_view method, const Json& params);
std::string reply_line(const Id& id, const Json& result);
std::string error_line(const std::optional<Id>& id, const RpcError& error);

}  // namespace pinfold::mcp
