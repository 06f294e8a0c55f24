// sandboxes.cc: looks for sandboxes, and listens to those there are.
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

Sandboxes::Sandboxes(control::Place place, std::string only, View& view)
    : place_(std::move(place)), only_(std::move(only)), view_(view), thread_([this] { run(); }) {}

Sandboxes::~Sandboxes() {
  over_ = true;
  thread_.join();
}

Result<bool> Sandboxes::answer(const std::string& sandbox, std::uint64_t question, Answer answer) const {
  if (!only_.empty() && sandbox != only_) return fail(ErrorKind::kNotFound, "this page is for another sandbox");
  return control::answer(place_, sandbox, question, answer);
}

Result<void> Sandboxes::revoke(const std::string& sandbox, std::uint64_t grant) const {
  if (!only_.empty() && sandbox != only_) return fail(ErrorKind::kNotFound, "this page is for another sandbox");
  return control::revoke(place_, sandbox, grant);
}

void Sandboxes::look_around() {
  const auto entries = place_.list();
  if (!entries) return;
  for (const control::Entry& each : *entries) {
    if (watched_.contains(each.id) || (!only_.empty() && each.id != only_)) continue;
    if (auto watch = control::Watch::start(place_, each.id)) watched_.emplace(each.id, std::move(*watch));
  }
}

void Sandboxes::serve(const std::string& id, control::Watch& watch) {
  auto told = watch.next();
  if (!told) {
    view_.ended(id);
    watched_.erase(id);  // one that was only too slow to read is found again
    return;
  }
  namespace tell = control::tell;
  if (const auto* described = std::get_if<tell::Described>(&*told)) {
    if (described->id == id) view_.appeared(*described);
  } else if (const auto* question = std::get_if<tell::Question>(&*told)) {
    view_.asked(id, question->question);
  } else if (const auto* settled = std::get_if<tell::Settled>(&*told)) {
    view_.settled(id, settled->question, settled->answer);
  } else if (const auto* denied = std::get_if<tell::Denied>(&*told)) {
    view_.denied(id, denied->denial);
  } else if (const auto* connected = std::get_if<tell::Connected>(&*told)) {
    view_.connected(id, connected->connection);
  } else if (const auto* grants = std::get_if<tell::Grants>(&*told)) {
    view_.granted(id, grants->grants);
  }
}

void Sandboxes::run() {
  auto looked_at = std::chrono::steady_clock::time_point();
  while (!over_) {
    if (const auto time = std::chrono::steady_clock::now(); time - looked_at >= kLookAgain) {
      look_around();
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
