// try.h: PF_TRY and PF_CHECK, which return an error to the caller.
// A frame says what the caller was doing ("preparing the workspace: …"). Give one where a layer changes; leave it out
// where the error's own text is enough.
// Not here: Result and Error themselves (include/pinfold/result.h).
#pragma once

#include "pinfold/result.h"

#define PF_CONCAT_(a, b) a##b
#define PF_CONCAT(a, b) PF_CONCAT_(a, b)
#define PF_THIRD_OF_(first, second, third, macro, ...) macro
#define PF_SECOND_OF_(first, second, macro, ...) macro

#define PF_TRY_WITH_(name, expression, rethrown)                                                                   \
  auto PF_CONCAT(pf_result_, __LINE__) = (expression);                                                             \
  if (!PF_CONCAT(pf_result_, __LINE__))                                                                            \
    return ::tl::unexpected<::pinfold::Error>(::pinfold::Error(std::move(PF_CONCAT(pf_result_, __LINE__)).error()) \
                                                  rethrown);                                                       \
  auto name = std::move(*PF_CONCAT(pf_result_, __LINE__))
#define PF_TRY_PLAIN_(name, expression) PF_TRY_WITH_(name, expression, )
#define PF_TRY_FRAMED_(name, expression, frame) PF_TRY_WITH_(name, expression, .within(frame))

#define PF_CHECK_WITH_(expression, rethrown)                                                               \
  do {                                                                                                     \
    auto pf_result_ = (expression);                                                                        \
    if (!pf_result_)                                                                                       \
      return ::tl::unexpected<::pinfold::Error>(::pinfold::Error(std::move(pf_result_).error()) rethrown); \
  } while (false)
#define PF_CHECK_PLAIN_(expression) PF_CHECK_WITH_(expression, )
#define PF_CHECK_FRAMED_(expression, frame) PF_CHECK_WITH_(expression, .within(frame))

// PF_TRY(ws, open_workspace(path), "preparing the workspace");   PF_TRY(ws, open_workspace(path));
#define PF_TRY(...) PF_THIRD_OF_(__VA_ARGS__, PF_TRY_FRAMED_, PF_TRY_PLAIN_, )(__VA_ARGS__)
// For Result<void>: PF_CHECK(fd.sync(), "saving the grants");   PF_CHECK(fd.sync());
#define PF_CHECK(...) PF_SECOND_OF_(__VA_ARGS__, PF_CHECK_FRAMED_, PF_CHECK_PLAIN_, )(__VA_ARGS__)
