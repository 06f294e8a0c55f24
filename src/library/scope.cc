// scope.cc: the public API of a live scope, on the real host.
#include "pinfold/scope.h"

#include <utility>

#include "base/guarded.h"
#include "base/try.h"
#include "library/live_scope.h"
#include "sys/host.h"

namespace pinfold {

struct Scope::Body {
  std::unique_ptr<HostView> host;
  library::LiveScope live;
};

Scope::Scope(std::unique_ptr<Body> body) noexcept : body_(std::move(body)) {}
Scope::Scope(Scope&& other) noexcept = default;
Scope& Scope::operator=(Scope&& other) noexcept = default;
Scope::~Scope() = default;

Result<Scope> Scope::open(const Policy& policy) noexcept {
  return guarded([&]() -> Result<Scope> {
    auto host = sys::real_host();
    PF_TRY(caller, sys::find_caller(*host));
    PF_TRY(live, library::LiveScope::open(policy, std::move(caller), *host));
    return Scope(std::make_unique<Body>(Body{std::move(host), std::move(live)}));
  });
}

Result<PathDecision> Scope::decide(std::string_view path) const noexcept {
  return guarded([&] { return body_->live.decide(path); });
}

Result<void> Scope::add_workspace(std::string_view directory) noexcept {
  return guarded([&] { return body_->live.add_workspace(directory); });
}

const Policy& Scope::policy() const noexcept { return body_->live.policy(); }

}  // namespace pinfold
