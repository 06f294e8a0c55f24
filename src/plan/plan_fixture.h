// plan_fixture.h: a host, a policy and a plan in three lines, for the compiler's tests.
// Invariant: a plan that must compile and does not is an exception with the error's words, which fails the test.
// Not here: anything a program outside tests should include.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/fake_host.h"
#include "plan/compile.h"
#include "policy/scope.h"

namespace pinfold::plan {

inline Origin flag(std::string where) { return {Source::kFlag, std::move(where)}; }

class PlanFixture {
 protected:
  PlanFixture() {
    host.debian().dir("/home/ada/ws/src");
    invocation.working_dir = "/home/ada/ws";
    invocation.argv = {"true"};
  }
  PolicyBuilder builder(std::string_view preset = "moderate") {
    return {preset, Caller{"/home/ada", "/home/ada/ws"}, flag("--profile")};
  }
  Result<Plan> try_plan(PolicyBuilder&& b) {
    auto policy = std::move(b).build();
    if (!policy) return tl::unexpected<Error>(policy.error());
    auto scope = policy::Scope::build(*policy, host);
    if (!scope) return tl::unexpected<Error>(scope.error());
    return compile(*scope, host, invocation, bounds);
  }
  Plan plan(PolicyBuilder&& b) {
    auto made = try_plan(std::move(b));
    if (!made) throw std::runtime_error(made.error().text());
    return std::move(*made);
  }
  Plan plan() { return plan(builder()); }

  template <typename Body>
  static std::vector<Body> all(const Plan& plan) {
    std::vector<Body> out;
    for (const Step& step : plan.steps)
      if (const auto* body = std::get_if<Body>(&step.body)) out.push_back(*body);
    return out;
  }
  template <typename Body>
  static const Body* at(const Plan& plan, std::string_view path) {
    for (const Step& step : plan.steps)
      if (const auto* body = std::get_if<Body>(&step.body); body != nullptr && body->at == path) return body;
    return nullptr;
  }
  static const ProtectName* name(const Plan& plan, std::string_view parent, std::string_view name) {
    for (const Step& step : plan.steps)
      if (const auto* body = std::get_if<ProtectName>(&step.body);
          body != nullptr && body->parent == parent && body->name == name)
        return body;
    return nullptr;
  }
  static const Step* step_of(const Plan& plan, const void* body) {
    for (const Step& step : plan.steps)
      if (std::visit([&](const auto& b) { return static_cast<const void*>(&b) == body; }, step.body)) return &step;
    return nullptr;
  }

  FakeHost host;
  Invocation invocation;
  SearchBounds bounds;
};

}  // namespace pinfold::plan
