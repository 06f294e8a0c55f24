// client_calls.cc: calls, and the list of tools and its updates.
#include <algorithm>
#include <utility>

#include "mcp/client.h"

namespace pinfold::mcp {
namespace {

Failure refused(std::string story) { return {Failure::Kind::kRefused, std::move(story), {}}; }

std::string why_not(const State& state) {
  if (const auto* pause = std::get_if<state::Backoff>(&state))
    return "the server is about to be started again: " + pause->why;
  if (const auto* end = std::get_if<state::Failed>(&state)) return "the server was given up: " + end->why;
  if (std::holds_alternative<state::Ending>(state)) return "the server is being ended";
  return "the server is not running";
}

}  // namespace

tl::expected<RequestId, Failure> Client::ask(PendingRequest pending, Json params) {
  if (!conversation_ || end_stage_ != EndStage::kNone || stopping_)
    return tl::unexpected<Failure>(refused(why_not(state_)));
  auto id = conversation_->request(std::move(pending), std::move(params), Clock::now());
  arm();
  return id;
}

tl::expected<RequestId, Failure> Client::request(std::string method, Json params,
                                                 std::optional<RequestTimeouts> timeouts,
                                                 std::function<void(Answer)> done) {
  const RequestTimeouts usual{settings_.durations.request, settings_.durations.request_at_most};
  const auto clean = [this, done = std::move(done)](Answer answer) {
    if (answer) return done(filter_.json(OutputKind::kResult, std::move(*answer)));
    done(tl::unexpected<Failure>(filtered(std::move(answer).error())));
  };
  return ask({std::move(method), timeouts.value_or(usual), clean, {}}, std::move(params));
}

tl::expected<RequestId, Failure> Client::call(Call call, std::function<void(CallOutcome)> done) {
  const Tool* tool = tools_.find(call.tool);
  if (call.check == Arguments::kChecked && tool != nullptr)
    if (auto problem = check_arguments(*tool, call.arguments)) return tl::unexpected<Failure>(std::move(*problem));
  Json params = {{"name", call.tool}, {"arguments", std::move(call.arguments)}};
  if (call.state) params["requestState"] = *call.state;
  if (!call.input_responses.is_null()) params["inputResponses"] = std::move(call.input_responses);

  PendingRequest pending;
  pending.method = "tools/call";
  pending.timeouts =
      call.timeouts.value_or(RequestTimeouts{settings_.durations.request, settings_.durations.request_at_most});
  // Check against the newest list, as of the time of the answer: only that list was compared with the pins.
  pending.answer = [this, name = call.tool, done = std::move(done)](Answer answer) {
    if (!answer) return done(filtered(std::move(answer).error()));
    done(filtered(read_call_result(tools_.find(name), std::move(*answer))));
  };
  if (call.progress) {
    pending.progress = [this, report = std::move(call.progress)](Progress progress) {
      progress.message = filter_.text(OutputKind::kProgress, progress.message);
      report(progress);
    };
  }
  return ask(std::move(pending), std::move(params));
}

void Client::cancel(RequestId id, const std::string& reason) {
  if (conversation_) conversation_->cancel(id, reason);
}

Failure Client::filtered(Failure failure) {
  failure.story = filter_.text(OutputKind::kError, failure.story);
  failure.error.message = filter_.text(OutputKind::kError, failure.error.message);
  failure.error.data = filter_.json(OutputKind::kError, std::move(failure.error.data));
  return failure;
}

CallOutcome Client::filtered(CallOutcome outcome) {
  if (auto* failure = std::get_if<Failure>(&outcome)) return filtered(std::move(*failure));
  if (auto* input = std::get_if<InputRequired>(&outcome)) {
    input->requests = filter_.json(OutputKind::kResult, std::move(input->requests));
    return outcome;
  }
  auto& result = std::get<CallResult>(outcome);
  result.content = filter_.json(OutputKind::kResult, std::move(result.content));
  result.structured = filter_.json(OutputKind::kResult, std::move(result.structured));
  Json whole = Json::object();
  for (auto& [key, value] : result.whole.get_ref<Json::object_t&>())
    if (key != "content" && key != "structuredContent") whole[key] = std::move(value);
  result.whole = filter_.json(OutputKind::kResult, std::move(whole));
  result.whole["content"] = result.content;
  if (!result.structured.is_null()) result.whole["structuredContent"] = result.structured;
  return outcome;
}

void Client::take_notification(const Notification& notification) {
  if (notification.method == "notifications/tools/list_changed") refresh_soon();
  events_.notified({filter_.text(OutputKind::kNotification, notification.method),
                    filter_.json(OutputKind::kNotification, notification.params)});
}

void Client::refresh_soon() {
  if (refresh_.is_set()) return;
  const auto next = last_refresh_ + settings_.durations.between_refreshes;
  refresh_.set(std::chrono::ceil<milliseconds>(next - Clock::now()), [this] { refresh_tools(); });
}

void Client::refresh_tools() {
  if (!conversation_ || !conversation_->is_ready()) return;
  if (std::exchange(refreshing_, true)) {
    refresh_again_ = true;
    return;
  }
  last_refresh_ = Clock::now();
  request_page(std::make_shared<ToolPages>(settings_.limits), "");
}

void Client::request_page(const std::shared_ptr<ToolPages>& pages, const std::string& cursor) {
  Json params = Json::object();
  if (!cursor.empty()) params["cursor"] = cursor;
  const auto report_failure = [this](const Failure& failure) {
    ignore("the list of tools cannot be read: " + failure.story, "");
    finish_refresh();
  };
  const auto take = [this, pages, report_failure](const Answer& answer) {
    if (!answer) return report_failure(answer.error());
    const ToolPages::PageResult step = pages->add(*answer);
    if (const auto* next = std::get_if<ToolPages::NextPage>(&step)) return request_page(pages, next->cursor);
    if (const auto* failure = std::get_if<Failure>(&step)) return report_failure(*failure);
    tools_ = pages->take();
    for (const std::string& each : tools_.problems) ignore("a tool was left out: " + each, "");
    events_.tools(tools_);
    finish_refresh();
  };
  const RequestTimeouts timeouts{settings_.durations.request, settings_.durations.request};
  auto asked = ask({"tools/list", timeouts, take, {}}, std::move(params));
  if (!asked) report_failure(asked.error());
}

void Client::finish_refresh() {
  refreshing_ = false;
  if (std::exchange(refresh_again_, false)) refresh_soon();
}

void Client::subscribe() {
  const auto take = [this](const Answer& answer) {
    // An orderly end of the subscription: the list may have changed until the next one starts.
    if (!answer && answer.error().kind != Failure::Kind::kUnreadable)
      return ignore("the server will not announce changed tools: " + answer.error().story, "");
    refresh_soon();
    subscription_.set(std::max(settings_.durations.between_refreshes, milliseconds(1)), [this] { subscribe(); });
  };
  // No time limit: the subscription lasts until the server exits.
  auto asked = ask({"subscriptions/listen", {}, take, {}}, {{"notifications", {{"toolsListChanged", true}}}});
  if (!asked) ignore("the server will not announce changed tools: " + asked.error().story, "");
}

}  // namespace pinfold::mcp
