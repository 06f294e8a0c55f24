// resolver.cc: resolves names by the system's own getaddrinfo, on a thread for each query, for macOS: the system
// handles VPNs and split DNS, which no file describes, and this build has no c-ares.
// Invariant: as in the header, except that answers are not cached: the system caches them. A thread that is still
// waiting at destruction uses only shared state.
#include "net/resolver.h"

#include <netdb.h>
#include <unistd.h>

#include <cstring>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "sys/call.h"

// The state that the threads and the loop share; the header declares it with c-ares' name.
struct ares_channeldata {
  struct Shared {
    std::mutex mutex;
    std::deque<std::pair<std::string, pinfold::net::Resolution>> answers;
    pinfold::sys::Fd wake;  // a byte for each answer
  };
  std::shared_ptr<Shared> shared;
  pinfold::sys::Fd woken;
};

namespace pinfold::net {
namespace {

Resolution ask_system(const std::string& name) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  const int status = ::getaddrinfo((name + ".").c_str(), nullptr, &hints, &list);  // the dot: no search list
  Resolution out;
  if (status == 0) {
    for (const addrinfo* each = list; each != nullptr; each = each->ai_next) {
      sockaddr_storage storage{};
      std::memcpy(&storage, each->ai_addr, each->ai_addrlen);
      if (const auto address = Address::from(storage)) out.addresses.push_back(*address);
    }
    ::freeaddrinfo(list);
    out.status = out.addresses.empty() ? Resolution::Status::kNoData : Resolution::Status::kFound;
  } else {
    out.status = status == EAI_NONAME ? Resolution::Status::kNoName : Resolution::Status::kFailed;
    out.problem = ::gai_strerror(status);
  }
  return out;
}

}  // namespace

AresResolver::~AresResolver() {
  if (channel_ == nullptr) return;
  loop_.remove(channel_->woken.raw());
  delete channel_;
}

bool AresResolver::open() {
  if (channel_ != nullptr) return true;
  int ends[2];
  if (::pipe2(ends, O_NONBLOCK | O_CLOEXEC) != 0) return false;
  auto channel = std::make_unique<ares_channeldata>();
  channel->shared = std::make_shared<ares_channeldata::Shared>();
  channel->woken = sys::Fd::adopt(ends[0]);
  channel->shared->wake = sys::Fd::adopt(ends[1]);
  if (!loop_.add(ends[0], sys::EventLoop::Interest::kRead, [this] { schedule(); })) return false;
  channel_ = channel.release();
  return true;
}

// Delivers the answers of the threads.
void AresResolver::schedule() {
  char bytes[64];
  while (::read(channel_->woken.raw(), bytes, sizeof bytes) > 0) {
  }
  for (;;) {
    std::pair<std::string, Resolution> answer;
    {
      const std::lock_guard lock(channel_->shared->mutex);
      if (channel_->shared->answers.empty()) return;
      answer = std::move(channel_->shared->answers.front());
      channel_->shared->answers.pop_front();
    }
    finish(answer.first, answer.second, std::chrono::seconds(0));
  }
}

void AresResolver::finish(const std::string& name, const Resolution& resolution, std::chrono::seconds) {
  auto found = waiting_.extract(name);
  if (found.empty()) return;
  std::vector<Waiter> waiters = std::move(found.mapped());
  answering_ = &waiters;
  for (std::size_t i = 0; i < waiters.size(); ++i)
    if (auto done = std::exchange(waiters[i].done, nullptr)) done(resolution);
  answering_ = nullptr;
}

Resolver::Ticket AresResolver::resolve(const std::string& name, Done done) {
  if (const auto known = options_.hosts.find(name); known != options_.hosts.end()) {
    done({Resolution::Status::kFound, known->second, ""});
    return 0;
  }
  if (waiting_.size() >= options_.most_waiting || !open()) {
    done({Resolution::Status::kFailed, {}, "too many questions wait"});
    return 0;
  }
  const Ticket ticket = next_ticket_++;
  std::vector<Waiter>& waiters = waiting_[name];
  waiters.push_back({ticket, std::move(done)});
  if (waiters.size() > 1) return ticket;
  std::thread([shared = channel_->shared, name] {
    Resolution answer = ask_system(name);
    const std::lock_guard lock(shared->mutex);
    shared->answers.emplace_back(name, std::move(answer));
    static_cast<void>(::write(shared->wake.raw(), "x", 1));
  }).detach();
  return ticket;
}

void AresResolver::cancel(Ticket ticket) {
  const auto drop = [&](std::vector<Waiter>& waiters) {
    for (Waiter& each : waiters)
      if (each.ticket == ticket) each.done = nullptr;
  };
  for (auto& [name, waiters] : waiting_) drop(waiters);
  if (answering_ != nullptr) drop(*answering_);
}

}  // namespace pinfold::net
