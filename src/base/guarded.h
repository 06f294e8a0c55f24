// guarded.h: the edge of the library: what is thrown inside comes out as an error.
// Invariant: noexcept; also when there is no memory left to say so in.
// Not here: errors that are expected (Result).
#pragma once

#include <exception>
#include <new>
#include <string>

#include "pinfold/result.h"

namespace pinfold {

// Runs `body`, which answers with a Result, and returns its answer.
template <typename Body>
auto guarded(Body&& body) noexcept -> decltype(body()) {
  // Short enough to need no memory of their own.
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return fail(ErrorKind::kSystem, "out of memory");
  } catch (const std::exception& error) {
    try {
      return fail(ErrorKind::kSystem, std::string("unexpected: ") + error.what());
    } catch (...) {
      return fail(ErrorKind::kSystem, "unexpected");
    }
  } catch (...) {
    return fail(ErrorKind::kSystem, "unexpected");
  }
}

}  // namespace pinfold
