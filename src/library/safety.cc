// safety.cc: the public API of command advice and redaction.
// Not here: rules (safety/).
#include <utility>

#include "base/guarded.h"
#include "base/text.h"
#include "pinfold/advice.h"
#include "pinfold/redact.h"
#include "safety/advice/advice.h"
#include "safety/redaction/json_redactor.h"

namespace pinfold {

Result<advice::Advice> advice_about(std::string_view text, advice::Shell shell) noexcept {
  return guarded([&]() -> Result<advice::Advice> { return advice::advise(text, shell); });
}

namespace {

redaction::Only only_of(RedactOnly only) {
  if (only == RedactOnly::kSecrets) return redaction::Only::kSecrets;
  return only == RedactOnly::kPersonal ? redaction::Only::kPersonal : redaction::Only::kEverything;
}

}  // namespace

struct Redactor::Body {
  Body(RedactOnly only, RedactText kind) : redactor(only_of(only)), walker(redactor), text(kind) {}
  redaction::Redactor redactor;
  redaction::JsonRedactor walker;
  RedactText text;
};

Redactor::Redactor(std::unique_ptr<Body> body) noexcept : body_(std::move(body)) {}
Redactor::Redactor(Redactor&& other) noexcept = default;
Redactor& Redactor::operator=(Redactor&& other) noexcept = default;
Redactor::~Redactor() = default;

Result<Redactor> Redactor::create(RedactOnly only, RedactText text) noexcept {
  return guarded([&]() -> Result<Redactor> { return Redactor(std::make_unique<Body>(only, text)); });
}

Result<void> Redactor::add_value(std::string_view name, std::string_view value) noexcept {
  return guarded([&]() -> Result<void> {
    if (body_->redactor.add_value(name, value)) return {};
    return fail(ErrorKind::kInvalid, text::shown(name) + ": the value is too short to be told from ordinary text",
                "four bytes at least");
  });
}

Result<std::string> Redactor::feed(std::string_view chunk) noexcept {
  return guarded([&]() -> Result<std::string> {
    return body_->text == RedactText::kJson ? body_->walker.feed(chunk) : body_->redactor.feed(chunk);
  });
}

Result<std::string> Redactor::finish() noexcept {
  return guarded([&]() -> Result<std::string> {
    return body_->text == RedactText::kJson ? body_->walker.finish() : body_->redactor.finish();
  });
}

Result<std::map<std::string, std::uint64_t>> Redactor::counts() const noexcept {
  return guarded([&]() -> Result<std::map<std::string, std::uint64_t>> { return body_->redactor.counts(); });
}

}  // namespace pinfold
