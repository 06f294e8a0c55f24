// redact.h: takes secrets and personal data out of text or JSON that comes in pieces.
// Invariant: the result does not depend on how the text was cut; memory does not grow with the text, time is linear in
// it. A courtesy, not a boundary: what no rule knows stays (docs/redaction.md). One redactor is for one thread at a
// time.
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
  kJson,  // what was valid JSON stays valid: one document, or several in a row
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

  // This value goes wherever it is, also in base64, hex, percent and JSON encodings, whatever else is chosen; its tag
  // is `name`. An error: it is too short to be told from ordinary text.
  Result<void> add_value(std::string_view name, std::string_view value) noexcept;

  // What is certain so far; up to a few KiB behind what came in.
  Result<std::string> feed(std::string_view chunk) noexcept;
  // The rest. The next feed() begins a new text; equal secrets keep equal tags.
  Result<std::string> finish() noexcept;

  // What was taken out so far: tag → how often.
  Result<std::map<std::string, std::uint64_t>> counts() const noexcept;

 private:
  struct Body;
  explicit Redactor(std::unique_ptr<Body> body) noexcept;
  std::unique_ptr<Body> body_;
};

}  // namespace pinfold
