// approval_callback.cc: one question, one answer.
#include "library/approval_callback.h"

namespace pinfold::library {

void DeciderAsker::ask(AccessQuestion question, Reply reply) {
  const std::pair key(question.operation, question.resource);
  if (const auto found = known_.find(key); found != known_.end()) return reply(found->second);
  Answer answer = Answer::kDeny;
  const bool once = question.once;
  const bool lasting = question.grant.has_value();
  try {
    answer = decider_.decide(Question(std::move(question)));
  } catch (...) {
    answer = Answer::kDeny;
  }
  const bool offered = answer == Answer::kDeny || (answer == Answer::kOnce ? once : lasting);
  if (!offered) answer = Answer::kDeny;
  if (answer != Answer::kOnce) known_[key] = answer;
  reply(answer);
}

}  // namespace pinfold::library
