// policy_toml.cc: hostile TOML as a policy file, in each role.
// Invariant: it is refused with an error text, or becomes a policy that prints and reads back as itself.
// Not here: JSON (policy_json.cc).
#include <cstddef>
#include <cstdint>

#include "world.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  pinfold::fuzz::check_text({reinterpret_cast<const char*>(data), size}, pinfold::policy::Notation::kToml);
  return 0;
}
