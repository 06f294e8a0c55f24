// http.h: an HTTP server for one user on the loopback address, over cpp-httplib.
// Invariant: a connection of another user is closed before it is read; requests are bounded in size and time; there are
// at most kWorkers threads. Not here: the pages and the API (site.h).
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>

#include <httplib.h>

#include "pinfold/result.h"

namespace pinfold::web {

class LocalServer final : public httplib::Server {
 public:
  static constexpr std::size_t kWorkers = 32;
  // Of these, at most so many wait for a request or read one. A further connection ends the oldest that waits: a
  // program that opens connections and sends no request cannot keep the user's browser out.
  static constexpr std::size_t kMostIdle = 24;

  LocalServer();
  // Binds to 127.0.0.1; 0: any free port. Returns the port.
  Result<std::uint16_t> bind(std::uint16_t port);
  // Returns after stop_serving().
  void serve() { listen_after_bind(); }
  void stop_serving();
  // Returns when each POST request that is being handled has its response, after `most` at the latest: a decision of
  // the user may be the reason why this process ends.
  void finish_posts(std::chrono::milliseconds most);

 private:
  bool process_and_close_socket(socket_t sock) override;
  // A connection without a whole request, from begin() to end().
  class IdleMark {
   public:
    IdleMark(LocalServer& server, int socket) : server_(server), socket_(socket) { begin(); }
    IdleMark(const IdleMark&) = delete;
    IdleMark& operator=(const IdleMark&) = delete;
    ~IdleMark() { end(); }
    void begin();
    void end();

   private:
    LocalServer& server_;
    int socket_;
  };
  std::atomic<bool> over_ = false;
  std::mutex mutex_;
  std::condition_variable post_ended_;
  std::size_t posts_ = 0;  // being handled
  std::list<int> idle_;    // sockets, the oldest first
};

}  // namespace pinfold::web
