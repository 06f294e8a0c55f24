// mcp_line.cc: hostile bytes from a server, whole, byte by byte, and cut at odd places.
// Invariant: the cuts make no difference; a message that was read can be written on one line and read back as itself; a
// conversation survives any bytes and answers each request once.
// Not here: real servers (tests/mcp).
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "mcp/conversation.h"
#include "mcp/line_reader.h"
#include "world.h"

namespace {

using namespace pinfold::mcp;
using pinfold::fuzz::promise;

constexpr std::size_t kLongest = 200;

std::vector<std::string> lines_of(std::string_view bytes, std::size_t piece, std::size_t stride) {
  std::vector<std::string> out;
  const LineReader::Handlers handlers = {[&](std::string_view line) { out.emplace_back(line); },
                                         [&](std::uint64_t size, const std::optional<std::string>& id) {
                                           out.push_back("\n" + std::to_string(size) + id.value_or(""));
                                         }};
  LineReader reader(kLongest);
  for (; !bytes.empty(); piece = piece * stride % 251 + 1) {
    reader.feed(bytes.substr(0, piece), handlers);
    bytes.remove_prefix(std::min(piece, bytes.size()));
  }
  reader.finish(handlers);
  return out;
}

void check_message(const std::string& line) {
  const IncomingMessage message = read_message(line);
  std::string again;
  if (const auto* request = std::get_if<Request>(&message))
    again = request_line(request->id, request->method, request->params);
  else if (const auto* notification = std::get_if<Notification>(&message))
    again = notification_line(notification->method, notification->params);
  else if (const auto* reply = std::get_if<Reply>(&message))
    again = reply_line(reply->id, reply->result);
  else if (const auto* error = std::get_if<ErrorReply>(&message))
    again = error_line(error->id, error->error);
  else
    return promise(!std::get<InvalidMessage>(message).story.empty(), "an invalid message has a reason");
  promise(again.find('\n') == std::string::npos, "a message is one line");
  const IncomingMessage second = read_message(again);
  promise(second.index() == message.index(), "a message reads back unchanged");
  if (const auto* reply = std::get_if<Reply>(&message)) {
    promise(std::get<Reply>(second).id == reply->id, "an id stays as it is");
    promise(canonical(std::get<Reply>(second).result) == canonical(reply->result), "a result stays as it is");
  }
}

void converse(const std::vector<std::string>& lines) {
  Conversation::Events events;
  events.send = [](const std::string& line) { promise(line.find('\n') == std::string::npos, "we send lines"); };
  events.ready = [](const ServerFacts&) {};
  events.failed = [](const pinfold::Error&) {};
  events.notified = [](const Notification&) {};
  events.ignored = [](std::string_view, std::string_view) {};
  Conversation talk({}, std::move(events));
  Time now{std::chrono::hours(1)};
  talk.begin(now);
  int asked = 0;
  int answered = 0;
  for (const std::string& line : lines) {
    if (talk.request({"tools/call", {seconds(2), seconds(5)}, [&](const Answer&) { ++answered; }, {}}, {}, now))
      ++asked;
    talk.receive(line, now);
    now += seconds(1);
    talk.tick(now);
  }
  talk.close("it is over");
  promise(asked == answered, "each request gets one response");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto whole = lines_of(bytes, size + 1, 1);
  promise(lines_of(bytes, 1, 251) == whole, "byte by byte, the lines are the same");
  promise(lines_of(bytes, size == 0 ? 1 : data[size - 1] % 64U + 1U, 3) == whole, "in pieces, the lines are the same");
  for (const std::string& line : whole)
    if (!line.starts_with('\n')) check_message(line);
  converse(whole);
  return 0;
}
