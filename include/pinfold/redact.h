// redact.h: removes secrets and personal data from text or JSON that arrives in chunks.
// Invariant: the result does not depend on the chunk boundaries; memory is constant, time is linear in the text. Not a
// security boundary: a secret that no rule matches stays (docs/guides/redaction.md). One redactor must be used by one
// thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "pinfold/export.h"
#include "pinfold/result.h"

namespace pinfold {

enum class RedactOnly : std::uint8_t { kEverything, kSecrets, kPersonal };
enum class RedactText : std::uint8_t {
  kPlain,
  kJson,  // one JSON document, or several in a row; valid input gives valid output
};

class PINFOLD_API Redactor {
 public:
  static Result<Redactor> create(RedactOnly only = RedactOnly::kEverything,
                                 RedactText text = RedactText::kPlain) noexcept;
  Redactor(Redactor&& other) noexcept;
  Redactor& operator=(Redactor&& other) noexcept;
  Redactor(const Redactor&) = delete;
  Redactor& operator=(const Redactor&) = delete;
  ~Redactor();

  // Removes this value everywhere, also in base64, hex, percent and JSON encodings, independent of RedactOnly; its tag
  // is `name`. Fails if the value is too short to be told from ordinary text.
  Result<void> add_value(std::string_view name, std::string_view value) noexcept;

  // The redacted text that is final; up to a few KiB of the input are held back.
  Result<std::string> feed(std::string_view chunk) noexcept;
  // The remaining text. The next feed() begins a new text; equal secrets keep equal tags.
  Result<std::string> finish() noexcept;

  // The number of removed values of each tag so far.
  Result<std::map<std::string, std::uint64_t>> counts() const noexcept;

 private:
  struct Body;
  explicit Redactor(std::unique_ptr<Body> body) noexcept;
  std::unique_ptr<Body> body_;
};

}  // namespace pinfold
