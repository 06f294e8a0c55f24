// echo_server.cc: the smallest server in C++: one tool, legacy era, nothing but answers.
// Invariant: one line in, at most one line out; ends with its input.
// Not here: anything of Pinfold's: it is the other side.
#include <iostream>
#include <string>

#include <nlohmann/json.hpp>

using Json = nlohmann::ordered_json;

namespace {

Json answer(const std::string& method, const Json& params) {
  if (method == "initialize") {
    return {{"protocolVersion", "2025-06-18"},
            {"capabilities", {{"tools", Json::object()}}},
            {"serverInfo", {{"name", "echo-cpp"}, {"version", "1.0"}}}};
  }
  if (method == "tools/list") {
    return {{"tools",
             Json::array(
                 {{{"name", "echo"}, {"description", "returns its input"}, {"inputSchema", {{"type", "object"}}}}})}};
  }
  if (method == "tools/call")
    return {{"content", Json::array({{{"type", "text"}, {"text", params["arguments"].dump()}}})}};
  return nullptr;
}

}  // namespace

int main() {
  std::ios::sync_with_stdio(false);
  for (std::string line; std::getline(std::cin, line);) {
    const Json message = Json::parse(line, nullptr, false);
    if (!message.is_object() || !message.contains("id") || !message.contains("method")) continue;
    const Json result = answer(message["method"], message.value("params", Json::object()));
    Json reply = {{"jsonrpc", "2.0"}, {"id", message["id"]}};
    if (result.is_null())
      reply["error"] = {{"code", -32601}, {"message", "no such method"}};
    else
      reply["result"] = result;
    std::cout << reply.dump() << '\n' << std::flush;
  }
}
