// resolver.cc: c-ares on our event loop.
// Invariant: c-ares' callbacks never use a waiter that was destroyed.
#include "net/resolver.h"

#include <ares.h>
#include <netdb.h>
#include <sys/select.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace pinfold::net {
namespace {

constexpr std::chrono::seconds kLongest{300};
constexpr std::chrono::seconds kShortest{1};
constexpr std::chrono::seconds kNegative{2};

Resolution::Status status_of(int status) {
  switch (status) {
    case ARES_SUCCESS: return Resolution::Status::kFound;
    case ARES_ENOTFOUND:
    case ARES_EBADNAME: return Resolution::Status::kNoName;
    case ARES_ENODATA: return Resolution::Status::kNoData;
    default: return Resolution::Status::kFailed;
  }
}

// c-ares would parse it as an address. Such names are refused earlier, too.
bool looks_numeric(std::string_view name) {
  std::string_view last = name.substr(name.rfind('.') + 1);
  return last.empty() || (last.front() >= '0' && last.front() <= '9') || name.find(':') != std::string_view::npos;
}

}  // namespace

AresResolver::~AresResolver() {
  closing_ = true;
  waiting_.clear();
  if (channel_ != nullptr) ::ares_destroy(channel_);
  if (timer_ != 0) loop_.cancel(timer_);
}

bool AresResolver::open() {
  if (channel_ != nullptr) return true;
  ::ares_library_init(ARES_LIB_INIT_ALL);
  ares_options options{};
  options.flags = ARES_FLAG_NOSEARCH;
  options.timeout = static_cast<int>(options_.try_for.count());
  options.tries = options_.tries;
  options.sock_state_cb = [](void* self, ares_socket_t fd, int readable, int writable) {
    socket_changed(self, fd, readable, writable);
  };
  options.sock_state_cb_data = this;
  int mask = ARES_OPT_FLAGS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_SOCK_STATE_CB;
  if (::ares_init_options(&channel_, &options, mask) != ARES_SUCCESS) {
    channel_ = nullptr;
    return false;
  }
  return options_.servers.empty() || ::ares_set_servers_ports_csv(channel_, options_.servers.c_str()) == ARES_SUCCESS;
}

Resolver::Ticket AresResolver::resolve(const std::string& name, Done done) {
  auto at_once = [&](const Resolution& resolution) {
    done(resolution);
    return Ticket{0};
  };
  if (auto own = options_.hosts.find(name); own != options_.hosts.end())
    return at_once({Resolution::Status::kFound, own->second, ""});
  if (auto kept = cache_.find(name); kept != cache_.end() && kept->second.until > sys::Clock::now())
    return at_once(kept->second.resolution);
  if (looks_numeric(name)) return at_once({Resolution::Status::kNoName, {}, "not a name"});
  Ticket ticket = next_ticket_++;
  if (auto pending = waiting_.find(name); pending != waiting_.end()) {
    pending->second.push_back({ticket, std::move(done)});
    return ticket;
  }
  if (waiting_.size() >= options_.most_waiting)
    return at_once({Resolution::Status::kFailed, {}, "too many names at once"});
  if (!open()) return at_once({Resolution::Status::kFailed, {}, "the host's name servers are not known"});
  waiting_[name].push_back({ticket, std::move(done)});
  ares_addrinfo_hints hints{};
  hints.ai_flags = ARES_AI_NOSORT;  // the dialer has an order of its own
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  auto* question = new Question{this, name};  // c-ares calls back exactly once, at the latest when it is destroyed
  ::ares_getaddrinfo(channel_, name.c_str(), nullptr, &hints, &AresResolver::answered, question);
  schedule();
  return waiting_.contains(name) ? ticket : 0;
}

void AresResolver::cancel(Ticket ticket) {
  if (ticket == 0) return;
  for (auto& [name, waiters] : waiting_)
    std::erase_if(waiters, [&](const Waiter& each) { return each.ticket == ticket; });
  if (answering_ == nullptr) return;
  for (Waiter& each : *answering_)
    if (each.ticket == ticket) each.ticket = 0;
}

void AresResolver::answered(void* raw, int status, int, ares_addrinfo* result) {
  std::unique_ptr<Question> question(static_cast<Question*>(raw));
  std::unique_ptr<ares_addrinfo, decltype(&::ares_freeaddrinfo)> owned(result, &::ares_freeaddrinfo);
  if (question->resolver->closing_) return;
  Resolution resolution{status_of(status), {}, status == ARES_SUCCESS ? "" : ::ares_strerror(status)};
  auto keep_for = kLongest;
  for (ares_addrinfo_node* node = result != nullptr ? result->nodes : nullptr; node != nullptr; node = node->ai_next) {
    sockaddr_storage storage{};
    if (node->ai_addrlen > sizeof storage) continue;
    std::copy_n(reinterpret_cast<const char*>(node->ai_addr), node->ai_addrlen, reinterpret_cast<char*>(&storage));
    auto address = Address::from(storage);
    if (address &&
        std::find(resolution.addresses.begin(), resolution.addresses.end(), *address) == resolution.addresses.end())
      resolution.addresses.push_back(*address);
    keep_for = std::min(keep_for, std::max(kShortest, std::chrono::seconds(node->ai_ttl)));
  }
  if (status == ARES_SUCCESS && resolution.addresses.empty()) resolution.status = Resolution::Status::kNoData;
  if (resolution.status != Resolution::Status::kFound) keep_for = kNegative;
  question->resolver->finish(question->name, resolution, keep_for);
}

void AresResolver::finish(const std::string& name, const Resolution& resolution, std::chrono::seconds keep_for) {
  keep(name, resolution, keep_for);
  auto found = waiting_.find(name);
  if (found == waiting_.end()) return;
  auto waiters = std::move(found->second);
  waiting_.erase(found);
  // A callback may cancel another waiter.
  auto* before = std::exchange(answering_, &waiters);
  for (Waiter& each : waiters)
    if (each.ticket != 0) each.done(resolution);
  answering_ = before;
}

void AresResolver::keep(const std::string& name, const Resolution& resolution, std::chrono::seconds keep_for) {
  auto now = sys::Clock::now();
  if (cache_.size() >= options_.most_cached)
    std::erase_if(cache_, [&](const auto& each) { return each.second.until <= now; });
  if (cache_.size() >= options_.most_cached) cache_.clear();
  cache_[name] = CacheEntry{resolution, now + keep_for};
}

void AresResolver::socket_changed(void* raw, int fd, int readable, int writable) {
  auto* self = static_cast<AresResolver*>(raw);
  using Interest = sys::EventLoop::Interest;
  if (readable == 0 && writable == 0) {
    self->loop_.remove(fd);
    self->sockets_.erase(fd);
    return;
  }
  Interest interest = readable != 0 && writable != 0 ? Interest::kBoth
                      : readable != 0                ? Interest::kRead
                                                     : Interest::kWrite;
  if (auto known = self->sockets_.find(fd); known != self->sockets_.end()) {
    known->second = interest;
    return self->loop_.set_interest(fd, interest);
  }
  self->sockets_[fd] = interest;
  // A failure shows as a time-out of this server.
  static_cast<void>(self->loop_.add(fd, interest, [self, fd] {
    Interest now = self->sockets_.contains(fd) ? self->sockets_[fd] : Interest::kNone;
    ares_socket_t reads = now == Interest::kWrite ? ARES_SOCKET_BAD : fd;
    ares_socket_t writes = now == Interest::kRead ? ARES_SOCKET_BAD : fd;
    ::ares_process_fd(self->channel_, reads, writes);
    self->schedule();
  }));
}

void AresResolver::schedule() {
  if (timer_ != 0) loop_.cancel(timer_);
  timer_ = 0;
  timeval buffer{};
  timeval* left = ::ares_timeout(channel_, nullptr, &buffer);
  if (left == nullptr) return;
  std::chrono::milliseconds delay(left->tv_sec * 1000 + left->tv_usec / 1000 + 1);
  timer_ = loop_.after(delay, [this] {
    timer_ = 0;
    ::ares_process_fd(channel_, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
    schedule();
  });
}

}  // namespace pinfold::net
