// listener_set.cc: opens and clears away desks.
#include "backend/linux/notify/listener_set.h"

namespace pinfold::backend::on_linux {

void CallDesks::open(sys::EventLoop& loop, SandboxEvents& last, std::vector<CallAnswerer*> chain) {
  loop_ = &loop;
  last_ = &last;
  chain_ = std::move(chain);
}

void CallDesks::take(sys::Fd listener, SandboxEvents& events) {
  if (loop_ == nullptr) return;
  clear_away();
  auto place = std::make_unique<Place>();
  place->listener = std::move(listener);
  place->events = &events;
  place->desk.open(*loop_, events, place->listener.raw(), chain_);
  places_.push_back(std::move(place));
}

void CallDesks::clear_away() {
  std::erase_if(places_, [this](const std::unique_ptr<Place>& each) {
    if (!each->desk.is_done()) return false;
    served_before_ += each->desk.served();
    return true;
  });
}

void CallDesks::leave(const SandboxEvents& events) {
  for (const auto& each : places_) {
    if (each->events != &events) continue;
    each->events = last_;
    each->desk.tell(*last_);
  }
}

void CallDesks::close() {
  for (const auto& each : places_) each->desk.close();
  loop_ = nullptr;
}

std::set<SandboxEvents*> CallDesks::told() const {
  std::set<SandboxEvents*> all = {last_};
  for (const auto& each : places_) all.insert(each->events);
  return all;
}

std::uint64_t CallDesks::served() const {
  std::uint64_t sum = served_before_;
  for (const auto& each : places_) sum += each->desk.served();
  return sum;
}

}  // namespace pinfold::backend::on_linux
