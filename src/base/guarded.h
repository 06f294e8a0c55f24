// guarded.h: converts exceptions to errors at the edge of the library.
// Invariant: noexcept, also without free memory.
// Not here: errors that are expected (Result).
#pragma once

#include <exception>
#include <new>
#include <string>

#include "pinfold/result.h"

namespace pinfold {

// Runs `body`, which returns a Result, and returns that.
template <typename Body>
auto guarded(Body&& body) noexcept -> decltype(body()) {
  // These texts are short enough for std::string to allocate no memory.
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
