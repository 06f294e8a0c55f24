// client_calls.cc: calls, lists of tools, and what changes them.
#include <algorithm>
#include <utility>

#include "mcp/client.h"

namespace pinfold::mcp {
namespace {

Failure refused(std::string story) { return {Failure::Kind::kRefused, std::move(story), {}}; }

std::string why_not(const State& state) {
  if (const auto* pause = std::get_if<state::BackingOff>(&state))
    return "the server is about to be started again: " + pause->why;
  if (const auto* end = std::get_if<state::GivenUp>(&state)) return "the server was given up: " + end->why;
  if (std::holds_alternative<state::Ending>(state)) return "the server is being ended";
  return "the server is not running";
}

}  // namespace

tl::expected<RequestId, Failure> Client::ask(Waiting waiting, Json params) {
  if (!conversation_ || rung_ != Rung::kNone || stopping_) return tl::unexpected<Failure>(refused(why_not(state_)));
  auto id = conversation_->request(std::move(waiting), std::move(params), Clock::now());
  arm();
  return id;
}

tl::expected<RequestId, Failure> Client::request(std::string method, Json params, std::optional<Patience> patience,
                                                 std::function<void(Answer)> done) {
  const Patience usual{settings_.durations.request, settings_.durations.request_at_most};
  const auto clean = [this, done = std::move(done)](Answer answer) {
    if (answer) return done(filter_.json(Speech::kResult, std::move(*answer)));
    done(tl::unexpected<Failure>(filtered(std::move(answer).error())));
  };
  return ask({std::move(method), patience.value_or(usual), clean, {}}, std::move(params));
}

tl::expected<RequestId, Failure> Client::call(Call call, std::function<void(CallOutcome)> done) {
  const Tool* tool = tools_.find(call.tool);
  if (call.check == Arguments::kChecked && tool != nullptr)
    if (auto problem = check_arguments(*tool, call.arguments)) return tl::unexpected<Failure>(std::move(*problem));
  Json params = {{"name", call.tool}, {"arguments", std::move(call.arguments)}};
  if (call.state) params["requestState"] = *call.state;
  if (!call.input_responses.is_null()) params["inputResponses"] = std::move(call.input_responses);

  Waiting waiting;
  waiting.method = "tools/call";
  waiting.patience = call.patience.value_or(Patience{settings_.durations.request, settings_.durations.request_at_most});
  // By what the tool promises when the answer comes: the list may have changed, and only the newest was looked at.
  waiting.answer = [this, name = call.tool, done = std::move(done)](Answer answer) {
    if (!answer) return done(filtered(std::move(answer).error()));
    done(filtered(read_call_result(tools_.find(name), std::move(*answer))));
  };
  if (call.progress) {
    waiting.progress = [this, tell = std::move(call.progress)](Progress progress) {
      progress.message = filter_.text(Speech::kProgress, progress.message);
      tell(progress);
    };
  }
  return ask(std::move(waiting), std::move(params));
}

void Client::cancel(RequestId id, const std::string& reason) {
  if (conversation_) conversation_->cancel(id, reason);
}

Failure Client::filtered(Failure failure) {
  failure.story = filter_.text(Speech::kError, failure.story);
  failure.error.message = filter_.text(Speech::kError, failure.error.message);
  failure.error.data = filter_.json(Speech::kError, std::move(failure.error.data));
  return failure;
}

CallOutcome Client::filtered(CallOutcome outcome) {
  if (auto* failure = std::get_if<Failure>(&outcome)) return filtered(std::move(*failure));
  if (auto* input = std::get_if<InputRequired>(&outcome)) {
    input->requests = filter_.json(Speech::kResult, std::move(input->requests));
    return outcome;
  }
  auto& result = std::get<CallResult>(outcome);
  result.content = filter_.json(Speech::kResult, std::move(result.content));
  result.structured = filter_.json(Speech::kResult, std::move(result.structured));
  Json whole = Json::object();
  for (auto& [key, value] : result.whole.get_ref<Json::object_t&>())
    if (key != "content" && key != "structuredContent") whole[key] = std::move(value);
  result.whole = filter_.json(Speech::kResult, std::move(whole));
  result.whole["content"] = result.content;
  if (!result.structured.is_null()) result.whole["structuredContent"] = result.structured;
  return outcome;
}

void Client::take_notification(const Notification& notification) {
  if (notification.method == "notifications/tools/list_changed") refresh_soon();
  events_.notified({filter_.text(Speech::kNotification, notification.method),
                    filter_.json(Speech::kNotification, notification.params)});
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
  ask_for_page(std::make_shared<ToolPages>(settings_.limits), "");
}

void Client::ask_for_page(const std::shared_ptr<ToolPages>& pages, const std::string& cursor) {
  Json params = Json::object();
  if (!cursor.empty()) params["cursor"] = cursor;
  const auto complain = [this](const Failure& failure) {
    ignore("the list of tools is not known: " + failure.story, "");
    finish_refresh();
  };
  const auto take = [this, pages, complain](const Answer& answer) {
    if (!answer) return complain(answer.error());
    const ToolPages::Step step = pages->add(*answer);
    if (const auto* next = std::get_if<ToolPages::Next>(&step)) return ask_for_page(pages, next->cursor);
    if (const auto* failure = std::get_if<Failure>(&step)) return complain(*failure);
    tools_ = pages->take();
    for (const std::string& each : tools_.problems) ignore("a tool was left out: " + each, "");
    events_.tools(tools_);
    finish_refresh();
  };
  const Patience patience{settings_.durations.request, settings_.durations.request};
  auto asked = ask({"tools/list", patience, take, {}}, std::move(params));
  if (!asked) complain(asked.error());
}

void Client::finish_refresh() {
  refreshing_ = false;
  if (std::exchange(refresh_again_, false)) refresh_soon();
}

void Client::subscribe() {
  const auto take = [this](const Answer& answer) {
    // An end in order: perhaps something changed in between.
    if (!answer && answer.error().kind != Failure::Kind::kUnreadable)
      return ignore("changes of tools will not be told: " + answer.error().story, "");
    refresh_soon();
    subscription_.set(std::max(settings_.durations.between_refreshes, milliseconds(1)), [this] { subscribe(); });
  };
  // It lasts as long as the server does.
  auto asked = ask({"subscriptions/listen", {}, take, {}}, {{"notifications", {{"toolsListChanged", true}}}});
  if (!asked) ignore("changes of tools will not be told: " + asked.error().story, "");
}

}  // namespace pinfold::mcp
