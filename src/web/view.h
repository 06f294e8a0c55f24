// view.h: everything the page shows: living sandboxes, questions that wait, grants in force, and what happened.
// Invariant: the newest 10,000 events are kept, no more; every text is one line without control, bidi or zero-width
// characters, and bounded; whoever waits for news hears of each change. Safe to use from several threads.
// Not here: where it comes from (sandboxes.h), who may see it (site.h).
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "control/message.h"

namespace pinfold::web {

class View {
 public:
  static constexpr std::size_t kMostEvents = 10'000;
  static constexpr std::size_t kMostEnded = 20;  // sandboxes that are still shown, as ended

  void appeared(const control::tell::Described& described);
  void ended(const std::string& sandbox);
  void asked(const std::string& sandbox, const AccessQuestion& question);
  void settled(const std::string& sandbox, std::uint64_t question, std::optional<Answer> answer);
  void denied(const std::string& sandbox, const Denial& denial);
  void connected(const std::string& sandbox, const Connection& connection);
  void granted(const std::string& sandbox, const std::vector<control::GrantInForce>& grants);

  // What is so now, and the events after `since`, as JSON. With nothing newer than `since` it waits for that long.
  std::string news(std::uint64_t since, std::chrono::milliseconds patience);
  // Nobody waits any more, now or later.
  void close();

 private:
  using Json = nlohmann::ordered_json;
  struct Sandbox {
    Json shown;
    std::map<std::uint64_t, Json> questions;
    Json grants = Json::array();
    std::optional<std::uint64_t> ended_at;  // the version
  };
  struct Event {
    std::uint64_t version = 0;
    std::string text;
  };
  void happened(const std::string& sandbox, const char* kind, const Json& what);
  void changed();
  void forget_old();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t version_ = 0;
  std::map<std::string, Sandbox> sandboxes_;
  std::deque<Event> events_;
  bool closed_ = false;
};

}  // namespace pinfold::web
