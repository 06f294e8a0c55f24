// c_api.cc: the C functions over the C++ API.
// Invariant: throws nothing; returned text is allocated by malloc(), or NULL if that fails.
// Not here: JSON (request_json.cc).
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>
#include <utility>

#include "base/guarded.h"
#include "base/try.h"
#include "library/request_json.h"
#include "pinfold/pinfold.h"

struct pinfold_handle {
  pinfold::Runner runner;
};

namespace {

using pinfold::ErrorKind;
using pinfold::fail;
using pinfold::Policy;
using pinfold::Result;
namespace library = pinfold::library;

char* give(std::string_view text) noexcept {
  auto* out = static_cast<char*>(std::malloc(text.size() + 1));
  if (out == nullptr) return nullptr;
  std::memcpy(out, text.data(), text.size());
  out[text.size()] = '\0';
  return out;
}

char* give_error(const pinfold::Error& error) noexcept {
  try {
    return give(library::response(error));
  } catch (...) {
    return give(R"({"ok":false,"error":{"kind":"system","message":"out of memory","fix":null}})");
  }
}

// The response of `body`, or its error.
template <typename Body>
char* reply(Body&& body) noexcept {
  const Result<std::string> text = pinfold::guarded(std::forward<Body>(body));
  return text ? give(*text) : give_error(text.error());
}

Result<Policy> policy_of(const library::WireRequest& request, const pinfold::Runner& runner) {
  if (!request.has_sources) {
    PF_TRY(caller, pinfold::find_caller());
    return pinfold::policy_from_json(request.policy, caller);
  }
  pinfold::LoadOptions options = request.sources;
  options.json = request.policy;
  return runner.load(options);
}

Result<Policy> policy_of(const char* json) {
  if (json == nullptr) return fail(ErrorKind::kInvalid, "the policy is NULL", "an empty one is {}");
  PF_TRY(caller, pinfold::find_caller());
  return pinfold::policy_from_json(json, caller);
}

Result<library::WireRequest> request_of(const pinfold_t* handle, const char* json) {
  if (handle == nullptr) return fail(ErrorKind::kInvalid, "the handle is NULL", "make one with pinfold_new()");
  if (json == nullptr) return fail(ErrorKind::kInvalid, "the request is NULL", R"({"argv": ["true"]})");
  return library::read_request(json);
}

class CallbackDecider final : public pinfold::Decider {
 public:
  CallbackDecider(pinfold_decider_t function, void* context) : function_(function), context_(context) {}

  pinfold::ApprovalDecision decide(const pinfold::DecisionRequest& request) override {
    switch (function_(context_, library::request_text(request).c_str())) {
      case PINFOLD_ONCE: return pinfold::ApprovalDecision::kOnce;
      case PINFOLD_SESSION: return pinfold::ApprovalDecision::kSession;
      case PINFOLD_ALWAYS: return pinfold::ApprovalDecision::kAlways;
      default: return pinfold::ApprovalDecision::kDeny;
    }
  }

 private:
  pinfold_decider_t function_;
  void* context_;
};

}  // namespace

const char* pinfold_version(void) { return PINFOLD_VERSION; }
int pinfold_c_api(void) { return PINFOLD_C_API; }

pinfold_t* pinfold_new(char** error) {
  if (error != nullptr) *error = nullptr;
  auto made = pinfold::guarded([]() -> Result<pinfold_t*> {
    PF_TRY(runner, pinfold::Runner::create());
    return new pinfold_t{std::move(runner)};
  });
  if (made) return *made;
  if (error != nullptr) *error = give_error(made.error());
  return nullptr;
}

void pinfold_free(pinfold_t* handle) { delete handle; }
void pinfold_free_text(char* text) { std::free(text); }

char* pinfold_run(pinfold_t* handle, const char* request_json) {
  return reply([&]() -> Result<std::string> {
    PF_TRY(request, request_of(handle, request_json));
    PF_TRY(policy, policy_of(request, handle->runner));
    PF_TRY(ran, handle->runner.run(policy, request.command));
    return library::response(ran, request.command.output);
  });
}

char* pinfold_assess(pinfold_t* handle, const char* request_json) {
  return reply([&]() -> Result<std::string> {
    PF_TRY(request, request_of(handle, request_json));
    PF_TRY(policy, policy_of(request, handle->runner));
    PF_TRY(plan, handle->runner.compile(policy, request.command));
    PF_TRY(rows, handle->runner.assess(plan));
    return library::response(rows, policy.on_unavailable);
  });
}

char* pinfold_policy_check(const char* policy_json) {
  return reply([&]() -> Result<std::string> {
    PF_TRY(policy, policy_of(policy_json));
    PF_TRY(scope, pinfold::Scope::open(policy));
    return library::response(scope.policy());
  });
}

char* pinfold_decide(const char* policy_json, const char* path) {
  return reply([&]() -> Result<std::string> {
    if (path == nullptr) return fail(ErrorKind::kInvalid, "the path is NULL", "name a file or directory");
    PF_TRY(policy, policy_of(policy_json));
    PF_TRY(scope, pinfold::Scope::open(policy));
    PF_TRY(decision, scope.decide(path));
    return library::response(decision);
  });
}

char* pinfold_advise(const char* text, const char* shell) {
  return reply([&]() -> Result<std::string> {
    if (text == nullptr) return fail(ErrorKind::kInvalid, "the text is NULL", "give the command line");
    PF_TRY(kind, library::read_shell(shell == nullptr ? "auto" : shell));
    PF_TRY(advice, pinfold::advice_about(text, kind));
    return library::response(advice);
  });
}

char* pinfold_redact(const char* text, const char* options_json) {
  return reply([&]() -> Result<std::string> {
    if (text == nullptr) return fail(ErrorKind::kInvalid, "the text is NULL", "an empty one is \"\"");
    PF_TRY(redactor, library::read_redactor(options_json == nullptr ? "{}" : options_json));
    PF_TRY(clean, redactor.feed(text));
    PF_TRY(rest, redactor.finish());
    PF_TRY(counts, redactor.counts());
    return library::response(clean + rest, counts);
  });
}

void pinfold_set_decider(pinfold_t* handle, pinfold_decider_t decider, void* context) {
  if (handle == nullptr) return;
  handle->runner.set_decider(nullptr);
  if (decider == nullptr) return;
  try {
    handle->runner.set_decider(std::make_shared<CallbackDecider>(decider, context));
  } catch (const std::bad_alloc&) {
    return;  // without a decider each request is denied
  }
}
