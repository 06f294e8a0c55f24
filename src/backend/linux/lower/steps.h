// steps.h: finds a step of one kind in a plan.
#pragma once

#include <variant>

#include "pinfold/plan.h"

namespace pinfold::backend::on_linux {

// The first of its kind, or null.
template <typename Body>
const Body* find_step(const Plan& plan) {
  for (const Step& step : plan.steps)
    if (const auto* body = std::get_if<Body>(&step.body)) return body;
  return nullptr;
}

}  // namespace pinfold::backend::on_linux
