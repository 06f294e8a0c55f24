// view.h: the state that the page shows: sandboxes, pending approval requests, live grants and events.
// Invariant: keeps at most the newest 10,000 events; every text is one bounded line without control, bidi or zero-width
// characters; each change wakes the requests that wait for news. Thread-safe.
// Not here: the source of the state (sandboxes.h), authentication (site.h).
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
  static constexpr std::size_t kMostEnded = 20;  // ended sandboxes that are still shown

  void appeared(const control::event::Description& description);
  void ended(const std::string& sandbox);
  void requested(const std::string& sandbox, const ApprovalRequest& request);
  void settled(const std::string& sandbox, std::uint64_t request, std::optional<ApprovalDecision> decision);
  void denied(const std::string& sandbox, const Denial& denial);
  void connected(const std::string& sandbox, const Connection& connection);
  void granted(const std::string& sandbox, const std::vector<control::GrantInForce>& grants);

  // The current state, and the events after `since`, as JSON. Waits up to `patience` if there is nothing newer.
  std::string news(std::uint64_t since, std::chrono::milliseconds patience);
  // Ends all waits in news(), current and later ones.
  void close();

 private:
  using Json = nlohmann::ordered_json;
  struct Sandbox {
    Json shown;
    std::map<std::uint64_t, Json> questions;
    Json grants = Json::array();
    std::optional<std::uint64_t> ended_at;  // the version of the state at that time
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
