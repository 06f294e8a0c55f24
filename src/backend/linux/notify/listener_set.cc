// listener_set.cc: adds call listeners and removes finished ones.
#include "backend/linux/notify/listener_set.h"

namespace pinfold::backend::on_linux {

void CallListenerSet::open(sys::EventLoop& loop, SandboxEvents& last, std::vector<CallHandler*> chain) {
  loop_ = &loop;
  last_ = &last;
  chain_ = std::move(chain);
}

void CallListenerSet::add(sys::Fd listener, SandboxEvents& events) {
  if (loop_ == nullptr) return;
  remove_finished();
  auto entry = std::make_unique<Entry>();
  entry->fd = std::move(listener);
  entry->events = &events;
  entry->listener.open(*loop_, events, entry->fd.raw(), chain_);
  entries_.push_back(std::move(entry));
}

void CallListenerSet::remove_finished() {
  std::erase_if(entries_, [this](const std::unique_ptr<Entry>& each) {
    if (!each->listener.is_done()) return false;
    served_before_ += each->listener.served();
    return true;
  });
}

void CallListenerSet::detach(const SandboxEvents& events) {
  for (const auto& each : entries_) {
    if (each->events != &events) continue;
    each->events = last_;
    each->listener.set_events(*last_);
  }
}

void CallListenerSet::close() {
  for (const auto& each : entries_) each->listener.close();
  loop_ = nullptr;
}

std::set<SandboxEvents*> CallListenerSet::receivers() const {
  std::set<SandboxEvents*> all = {last_};
  for (const auto& each : entries_) all.insert(each->events);
  return all;
}

std::uint64_t CallListenerSet::served() const {
  std::uint64_t sum = served_before_;
  for (const auto& each : entries_) sum += each->listener.served();
  return sum;
}

}  // namespace pinfold::backend::on_linux
