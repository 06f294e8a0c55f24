// approval_queue.cc: puts questions, takes answers, remembers them.
#include "session/approval_queue.h"

#include <algorithm>

namespace pinfold::session {
namespace {

constexpr std::size_t kMostWaiting = 64;
constexpr std::size_t kMostInAWhile = 30;  // that a person is shown
constexpr auto kAWhile = std::chrono::minutes(1);

bool is_offered(const AccessQuestion& question, Answer answer) {
  if (answer == Answer::kOnce) return question.once;
  return answer == Answer::kDeny || question.grant.has_value();
}

}  // namespace

void Board::leave(const Face& face) { std::erase(faces_, &face); }

std::vector<AccessQuestion> Board::waiting() const {
  std::vector<AccessQuestion> out;
  std::set<Key> seen;
  for (const Waiting& each : waiting_)
    if (seen.insert(key_of(each.question)).second) out.push_back(each.question);
  return out;
}

bool Board::may_ask() {
  const auto time = now();
  while (!put_at_.empty() && time - put_at_.front() >= kAWhile) put_at_.pop_front();
  if (waiting_.size() >= kMostWaiting || put_at_.size() >= kMostInAWhile) return false;
  put_at_.push_back(time);
  return true;
}

void Board::begin(sys::EventLoop& loop, supervisor::Streams& streams) {
  for (Face* each : std::vector<Face*>(faces_)) each->begin(loop, streams);
}

void Board::end() {
  waiting_.clear();
  for (Face* each : std::vector<Face*>(faces_)) each->end();
}

void Board::ask(AccessQuestion question, Reply reply) {
  if (hooks_.assess) question.risk = hooks_.assess(question);
  const Key key = key_of(question);
  if (const auto known = answered_.find(key); known != answered_.end()) return reply(known->second);
  const bool is_waiting =
      std::any_of(waiting_.begin(), waiting_.end(), [&](const Waiting& each) { return key_of(each.question) == key; });
  if (refuses_) {
    ++refused_;
    return reply(Answer::kDeny);
  }
  if (is_waiting ? waiting_.size() >= kMostWaiting : !may_ask()) {
    ++flooded_;
    return reply(Answer::kDeny);
  }
  waiting_.push_back({std::move(question), std::move(reply)});
  if (!is_waiting) put(AccessQuestion(waiting_.back().question));
}

void Board::put(const AccessQuestion& question) {
  if (hooks_.asked) hooks_.asked(question);
  for (Face* each : std::vector<Face*>(faces_)) each->asked(question);
}

bool Board::answer(std::uint64_t id, Answer answer, const std::string& by) {
  const auto which =
      std::find_if(waiting_.begin(), waiting_.end(), [&](const Waiting& each) { return each.question.id == id; });
  if (which == waiting_.end() || !is_offered(which->question, answer)) return false;
  settle(which, answer, by);
  return true;
}

// Equals get the same answer, unless it is meant for one operation alone: then the next of them is put.
void Board::settle(const std::deque<Waiting>::iterator& which, Answer answer, const std::string& by) {
  const Waiting first = std::move(*which);
  waiting_.erase(which);
  const Key key = key_of(first.question);
  std::vector<Waiting> equals;
  if (answer != Answer::kOnce) {
    answered_[key] = answer;
    const auto rest = std::stable_partition(waiting_.begin(), waiting_.end(),
                                            [&](const Waiting& each) { return key_of(each.question) != key; });
    std::move(rest, waiting_.end(), std::back_inserter(equals));
    waiting_.erase(rest, waiting_.end());
  }
  if (hooks_.answered) hooks_.answered(first.question, answer, by);
  for (Face* each : std::vector<Face*>(faces_)) each->settled(first.question, answer);
  if (answer == Answer::kAlways) always_ = first.question;
  first.reply(answer);
  always_.reset();
  for (const Waiting& each : equals) each.reply(answer);
  if (answer != Answer::kOnce) return;
  const auto next =
      std::find_if(waiting_.begin(), waiting_.end(), [&](const Waiting& each) { return key_of(each.question) == key; });
  if (next != waiting_.end()) put(AccessQuestion(next->question));
}

void Board::refuse_all(std::string why) {
  refuses_ = true;
  refused_because_ = std::move(why);
  for (; !waiting_.empty(); ++refused_) settle(waiting_.begin(), Answer::kDeny, refused_because_);
}

void Board::withdraw(std::uint64_t id) {
  const auto which =
      std::find_if(waiting_.begin(), waiting_.end(), [&](const Waiting& each) { return each.question.id == id; });
  if (which == waiting_.end()) return;
  const AccessQuestion gone = std::move(which->question);
  const Key key = key_of(gone);
  const bool was_shown =
      std::find_if(waiting_.begin(), which, [&](const Waiting& each) { return key_of(each.question) == key; }) == which;
  waiting_.erase(which);
  if (!was_shown) return;
  for (Face* each : std::vector<Face*>(faces_)) each->settled(gone, std::nullopt);
  const auto next =
      std::find_if(waiting_.begin(), waiting_.end(), [&](const Waiting& each) { return key_of(each.question) == key; });
  if (next != waiting_.end()) put(AccessQuestion(next->question));
}

void Board::granted(const Grant& grant, Answer answer) {
  if (answer != Answer::kSession && answer != Answer::kAlways) return;
  if (answer == Answer::kAlways && always_ && hooks_.remember) hooks_.remember(*always_, grant);
  const auto known =
      std::find_if(grants_.begin(), grants_.end(), [&](const LiveGrant& each) { return each.grant == grant; });
  if (known != grants_.end()) return;
  grants_.push_back({next_grant_++, grant, answer, std::chrono::system_clock::now()});
  for (Face* each : std::vector<Face*>(faces_)) each->grants_changed();
}

Result<void> Board::revoke(std::uint64_t grant) {
  const auto which =
      std::find_if(grants_.begin(), grants_.end(), [&](const LiveGrant& each) { return each.id == grant; });
  if (which == grants_.end()) return fail(ErrorKind::kNotFound, "there is no such grant", "see the list of grants");
  if (!take_back)
    return fail(ErrorKind::kUnavailable, "this sandbox cannot take a grant back", "end it and start it again");
  // First: the plan without it is made from what is remembered.
  if (which->answer == Answer::kAlways && hooks_.forget) hooks_.forget(which->grant);
  if (auto taken = take_back(which->grant); !taken) return taken;
  // What it answered is to be asked again.
  std::erase_if(answered_, [](const auto& each) { return each.second != Answer::kDeny; });
  grants_.erase(which);
  for (Face* each : std::vector<Face*>(faces_)) each->grants_changed();
  return {};
}

void Board::denied(const Denial& denial) {
  for (Face* each : std::vector<Face*>(faces_)) each->denied(denial);
}

void Board::connected(const Connection& connection) {
  for (Face* each : std::vector<Face*>(faces_)) each->connected(connection);
}

}  // namespace pinfold::session
