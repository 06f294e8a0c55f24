// http.h: an HTTP server for one user on the loopback address, over cpp-httplib.
// Invariant: a connection of anybody but this user is closed before a byte of it is read; a request has a longest size
// and a longest time; there are never more threads than kWorkers. Not here: what is served (site.h).
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include <httplib.h>

#include "pinfold/result.h"

namespace pinfold::web {

class LocalServer final : public httplib::Server {
 public:
  static constexpr std::size_t kWorkers = 32;

  LocalServer();
  // On 127.0.0.1; 0: any port that is free. Returns the port.
  Result<std::uint16_t> bind(std::uint16_t port);
  // Until stop_serving().
  void serve() { listen_after_bind(); }
  void stop_serving();
  // Returns when each POST request that is being handled has its response, after `most` at the latest: a decision of
  // the user may be the reason why this process ends.
  void finish_posts(std::chrono::milliseconds most);

 private:
  bool process_and_close_socket(socket_t sock) override;
  std::atomic<bool> over_ = false;
  std::mutex mutex_;
  std::condition_variable post_ended_;
  std::size_t posts_ = 0;  // being handled
};

}  // namespace pinfold::web
