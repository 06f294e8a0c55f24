// try.h: PF_TRY, the one way to pass an error up with a frame.
// Not here: Result and Error themselves (include/pinfold/result.h).
#pragma once

#include "pinfold/result.h"

#define PF_CONCAT_(a, b) a##b
#define PF_CONCAT(a, b) PF_CONCAT_(a, b)

// PF_TRY(ws, open_workspace(path), "preparing the workspace");
#define PF_TRY(name, expression, frame)                                                                          \
  auto PF_CONCAT(pf_result_, __LINE__) = (expression);                                                           \
  if (!PF_CONCAT(pf_result_, __LINE__))                                                                          \
    return ::tl::unexpected<::pinfold::Error>(std::move(PF_CONCAT(pf_result_, __LINE__)).error().within(frame)); \
  auto name = std::move(*PF_CONCAT(pf_result_, __LINE__))

// For Result<void>.
#define PF_CHECK(expression, frame)                                                                          \
  do {                                                                                                       \
    auto pf_result_ = (expression);                                                                          \
    if (!pf_result_) return ::tl::unexpected<::pinfold::Error>(std::move(pf_result_).error().within(frame)); \
  } while (false)
