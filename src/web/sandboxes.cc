// sandboxes.cc: finds sandboxes and receives their events.
#include "web/sandboxes.h"

#include <poll.h>

#include <chrono>
#include <utility>
#include <variant>
#include <vector>

#include "base/try.h"

namespace pinfold::web {
namespace {

constexpr auto kLookAgain = std::chrono::milliseconds(250);

}  // namespace

Sandboxes::Sandboxes(control::RuntimeDir runtime, std::string only, View& view)
    : runtime_(std::move(runtime)), only_(std::move(only)), view_(view), thread_([this] { run(); }) {}

Sandboxes::~Sandboxes() {
  over_ = true;
  thread_.join();
}

Result<bool> Sandboxes::decide(const std::string& sandbox, std::uint64_t request, ApprovalDecision decision) const {
  if (!only_.empty() && sandbox != only_) return fail(ErrorKind::kNotFound, "this page is for another sandbox");
  return control::decide(runtime_, sandbox, request, decision);
}

Result<void> Sandboxes::revoke(const std::string& sandbox, std::uint64_t grant) const {
  if (!only_.empty() && sandbox != only_) return fail(ErrorKind::kNotFound, "this page is for another sandbox");
  return control::revoke(runtime_, sandbox, grant);
}

void Sandboxes::find_sandboxes() {
  const auto entries = runtime_.list();
  if (!entries) return;
  for (const control::SandboxEntry& each : *entries) {
    if (watched_.contains(each.id) || (!only_.empty() && each.id != only_)) continue;
    if (auto watch = control::Watch::start(runtime_, each.id)) watched_.emplace(each.id, std::move(*watch));
  }
}

void Sandboxes::serve(const std::string& id, control::Watch& watch) {
  auto next = watch.next();
  if (!next) {
    view_.ended(id);
    watched_.erase(id);  // find_sandboxes() reconnects if only this client was too slow to read
    return;
  }
  namespace event = control::event;
  if (const auto* described = std::get_if<event::Description>(&*next)) {
    if (described->id == id) view_.appeared(*described);
  } else if (const auto* pending = std::get_if<event::PendingRequest>(&*next)) {
    view_.requested(id, pending->request);
  } else if (const auto* settled = std::get_if<event::RequestEnd>(&*next)) {
    view_.settled(id, settled->request, settled->decision);
  } else if (const auto* denied = std::get_if<event::AccessDenial>(&*next)) {
    view_.denied(id, denied->denial);
  } else if (const auto* connected = std::get_if<event::ConnectionEnd>(&*next)) {
    view_.connected(id, connected->connection);
  } else if (const auto* grants = std::get_if<event::Grants>(&*next)) {
    view_.granted(id, grants->grants);
  }
}

void Sandboxes::run() {
  auto looked_at = std::chrono::steady_clock::time_point();
  while (!over_) {
    if (const auto time = std::chrono::steady_clock::now(); time - looked_at >= kLookAgain) {
      find_sandboxes();
      looked_at = time;
    }
    std::vector<pollfd> ready;
    std::vector<std::string> ids;
    for (const auto& [id, watch] : watched_) {
      ready.push_back({watch.raw(), POLLIN, 0});
      ids.push_back(id);
    }
    if (::poll(ready.data(), ready.size(), static_cast<int>(kLookAgain.count())) <= 0) continue;
    for (std::size_t i = 0; i < ready.size(); ++i)
      if (ready[i].revents != 0) serve(ids[i], watched_.at(ids[i]));
  }
}

}  // namespace pinfold::web
