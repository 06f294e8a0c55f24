// view.cc: converts values from sandboxes to the page's JSON.
#include "web/view.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "base/utf8.h"
#include "control/values.h"
#include "report/render.h"

namespace pinfold::web {
namespace {

constexpr std::size_t kLongestCommand = 2000;
constexpr std::size_t kLongestInEvent = 600;
constexpr std::size_t kLongestInQuestion = 8000;

std::string safe(std::string_view text, std::size_t longest) {
  const std::string_view head = utf8_head(text, longest);
  return text::shown(head) + (head.size() < text.size() ? "…" : "");
}

std::int64_t now_ms() {
  const auto time = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
}

const char* word_of(RiskLevel level) {
  return level == RiskLevel::kHigh ? "high" : level == RiskLevel::kMedium ? "medium" : "low";
}

// The access that a grant gives, in words.
std::string in_words(const Grant& grant, std::size_t longest) {
  const char* verb = grant.kind == Grant::Kind::kRead    ? "read "
                     : grant.kind == Grant::Kind::kWrite ? "read and write "
                                                         : "connect to ";
  return verb + safe(grant.resource, longest);
}

}  // namespace

void View::changed() {
  ++version_;
  changed_.notify_all();
}

void View::happened(const std::string& sandbox, const char* kind, const Json& what) {
  changed();
  Json event = {{"n", version_}, {"at", now_ms()}, {"sandbox", sandbox}, {"kind", kind}};
  event.update(what);
  events_.push_back({version_, event.dump()});
  if (events_.size() > kMostEvents) events_.pop_front();
}

void View::appeared(const control::event::Description& described) {
  const std::lock_guard lock(mutex_);
  const bool is_run = described.kind == control::SandboxKind::kRun;
  Sandbox& sandbox = sandboxes_[described.id];
  const bool is_new = sandbox.shown.is_null();
  const std::string title =
      is_run ? safe(text::shell_words(described.argv), kLongestCommand) : safe(described.name, kLongestInEvent);
  sandbox.shown = {{"id", described.id},
                   {"kind", is_run ? "run" : "session"},
                   {"title", title},
                   {"backend", safe(described.backend, kLongestInEvent)},
                   {"workspace", safe(described.workspace, kLongestInEvent)},
                   {"since", described.started_at},
                   {"pid", described.pid}};
  sandbox.ended_at.reset();
  if (is_new)
    happened(described.id, "started", {{"what", title}});
  else
    changed();
}

void View::ended(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto found = sandboxes_.find(id);
  if (found == sandboxes_.end() || found->second.ended_at) return;
  found->second.questions.clear();
  found->second.grants = Json::array();
  happened(id, "ended", {{"what", found->second.shown.value("title", id)}});
  found->second.ended_at = version_;
  forget_old();
}

void View::forget_old() {
  std::vector<std::pair<std::uint64_t, std::string>> over;
  for (const auto& [id, each] : sandboxes_)
    if (each.ended_at) over.emplace_back(*each.ended_at, id);
  std::sort(over.begin(), over.end());
  for (std::size_t i = 0; i + kMostEnded < over.size(); ++i) sandboxes_.erase(over[i].second);
}

void View::requested(const std::string& sandbox, const ApprovalRequest& request) {
  const std::lock_guard lock(mutex_);
  const auto text = [](std::string_view raw) { return safe(raw, kLongestInQuestion); };
  Json shown = {{"sandbox", sandbox},
                {"id", request.id},
                {"at", now_ms()},
                {"operation", text(request.operation)},
                {"resource", text(request.resource)},
                {"named", text(request.named)},
                {"program", text(request.program)},
                {"pid", request.pid},
                {"rule", text(request.rule)},
                {"once", request.once},
                {"grant", request.grant ? in_words(*request.grant, kLongestInQuestion) : ""},
                {"risk", word_of(request.risk.level)},
                {"risk_words", text(request.risk.words)}};
  const bool is_new = sandboxes_[sandbox].questions.insert_or_assign(request.id, std::move(shown)).second;
  if (!is_new) return changed();
  happened(sandbox, "asked",
           {{"operation", safe(request.operation, kLongestInEvent)},
            {"what", safe(request.resource, kLongestInEvent)},
            {"program", safe(request.program, kLongestInEvent)},
            {"pid", request.pid}});
}

void View::settled(const std::string& sandbox, std::uint64_t request, std::optional<ApprovalDecision> decision) {
  const std::lock_guard lock(mutex_);
  auto& questions = sandboxes_[sandbox].questions;
  const auto found = questions.find(request);
  if (found == questions.end()) return;
  const Json shown = std::move(found->second);
  questions.erase(found);
  happened(sandbox, "answered",
           {{"question", request},
            {"answer", decision ? control::word_of(*decision) : "gone"},
            {"operation", shown["operation"]},
            {"what", safe(shown["resource"].get_ref<const std::string&>(), kLongestInEvent)},
            {"program", shown["program"]}});
}

void View::denied(const std::string& sandbox, const Denial& denial) {
  const std::lock_guard lock(mutex_);
  const auto text = [](std::string_view raw) { return safe(raw, kLongestInEvent); };
  happened(sandbox, "denied",
           {{"operation", text(denial.operation)},
            {"what", text(denial.resource)},
            {"program", text(denial.program)},
            {"pid", denial.pid},
            {"rule", text(denial.rule)},
            {"allow", text(report::allow_text(denial))},
            {"count", denial.count}});
}

void View::connected(const std::string& sandbox, const Connection& connection) {
  const std::lock_guard lock(mutex_);
  const auto text = [](std::string_view raw) { return safe(raw, kLongestInEvent); };
  const std::string& name = connection.host.empty() ? connection.address : connection.host;
  happened(sandbox, "connected",
           {{"what", text(name) + ":" + std::to_string(connection.port)},
            {"address", text(connection.address)},
            {"up", connection.bytes_up},
            {"down", connection.bytes_down},
            {"took", connection.duration.count()},
            {"end", text(connection.end)}});
}

void View::granted(const std::string& sandbox, const std::vector<control::GrantInForce>& grants) {
  const std::lock_guard lock(mutex_);
  Json shown = Json::array();
  for (const control::GrantInForce& each : grants)
    shown.push_back({{"sandbox", sandbox},
                     {"id", each.id},
                     {"what", in_words(each.grant, kLongestInQuestion)},
                     {"answer", control::word_of(each.decision)},
                     {"since", each.since}});
  sandboxes_[sandbox].grants = std::move(shown);
  changed();
}

std::string View::news(std::uint64_t since, std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, patience, [&] { return closed_ || version_ > since; });
  Json sandboxes = Json::array();
  Json questions = Json::array();
  Json grants = Json::array();
  for (const auto& [id, each] : sandboxes_) {
    if (each.shown.is_null()) continue;
    sandboxes.push_back(each.shown);
    sandboxes.back()["ended"] = each.ended_at.has_value();
    for (const auto& [number, request] : each.questions) questions.push_back(request);
    for (const Json& grant : each.grants) grants.push_back(grant);
  }
  std::stable_sort(questions.begin(), questions.end(), [](const Json& a, const Json& b) { return a["at"] < b["at"]; });
  std::string out = "{\"version\":" + std::to_string(version_) + ",\"sandboxes\":" + sandboxes.dump() +
                    ",\"questions\":" + questions.dump() + ",\"grants\":" + grants.dump() + ",\"events\":[";
  const auto first =
      std::partition_point(events_.begin(), events_.end(), [&](const Event& event) { return event.version <= since; });
  for (auto event = first; event != events_.end(); ++event) {
    if (event != first) out += ',';
    out += event->text;
  }
  return out + "]}";
}

void View::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

}  // namespace pinfold::web
