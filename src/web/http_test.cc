// http_test.cc: a process that ends waits for the responses to decisions, and for nothing else.
// Not here: which requests are refused (csrf_check_test.cc).
#include "web/http.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <future>
#include <thread>
#include <vector>

#include "sys/fd.h"

namespace pinfold::web {
namespace {

using namespace std::chrono_literals;

// A server whose GET and POST requests wait for release().
class HttpTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto handler = [this](const httplib::Request&, httplib::Response& response) {
      arrived_.set_value();
      released_.wait();
      response.set_content("done", "text/plain");
    };
    server_.Get("/wait", handler);
    server_.Post("/wait", handler);
    const auto bound = server_.bind(0);
    ASSERT_TRUE(bound) << bound.error().text();
    port_ = *bound;
    serving_ = std::thread([this] { server_.serve(); });
  }
  void TearDown() override {
    release();
    server_.stop_serving();
    serving_.join();
  }
  void release() {
    if (std::exchange(is_released_, true)) return;
    release_.set_value();
  }
  std::future<std::string> send(const char* method) {
    return std::async(std::launch::async, [this, post = std::string(method) == "POST"] {
      httplib::Client client("127.0.0.1", port_);
      client.set_read_timeout(60s);
      const auto result = post ? client.Post("/wait", "{}", "application/json") : client.Get("/wait");
      return result ? result->body : std::string("no response");
    });
  }

  LocalServer server_;
  std::thread serving_;
  int port_ = 0;
  std::promise<void> arrived_;
  std::promise<void> release_;
  std::shared_future<void> released_ = release_.get_future().share();
  bool is_released_ = false;
};

TEST_F(HttpTest, APostIsAnsweredBeforeTheServerEnds) {
  auto body = send("POST");
  arrived_.get_future().wait();
  server_.finish_posts(20ms);  // the handler still waits: this ends by its bound
  auto finished = std::async(std::launch::async, [this] { server_.finish_posts(60s); });
  EXPECT_EQ(finished.wait_for(50ms), std::future_status::timeout);
  release();
  finished.wait();
  EXPECT_EQ(body.get(), "done");
}

TEST_F(HttpTest, ALongPollDoesNotDelayTheEnd) {
  auto body = send("GET");
  arrived_.get_future().wait();
  auto finished = std::async(std::launch::async, [this] { server_.finish_posts(60s); });
  EXPECT_EQ(finished.wait_for(30s), std::future_status::ready);
  release();
  EXPECT_EQ(body.get(), "done");
}

// More connections than there are workers, each with the first byte of a request.
TEST_F(HttpTest, IdleConnectionsDoNotBlockOthers) {
  std::vector<sys::Fd> unfinished;
  for (std::size_t i = 0; i < 2 * LocalServer::kWorkers; ++i) {
    auto socket = sys::Fd::adopt(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port_));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ASSERT_EQ(::connect(socket.raw(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    ASSERT_EQ(::send(socket.raw(), "G", 1, MSG_NOSIGNAL), 1);
    unfinished.push_back(std::move(socket));
  }
  auto body = send("GET");
  arrived_.get_future().wait();
  std::size_t open = 0;
  for (const sys::Fd& each : unfinished) {
    pollfd state{each.raw(), POLLIN, 0};
    open += ::poll(&state, 1, 0) == 0 ? 1U : 0U;
  }
  // They are not ended by their time limit: the newest still wait for their request.
  EXPECT_GT(open, LocalServer::kMostIdle / 2);
  release();
  EXPECT_EQ(body.get(), "done");
}

}  // namespace
}  // namespace pinfold::web
