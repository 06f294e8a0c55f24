// from_text.cc: the policy that a program writes as text.
// Invariant: it is the program's own word (Source::kApi) and stands alone: no file, no variable is read.
// Not here: text on top of the user's files (library/load.cc).
#include "base/guarded.h"
#include "base/text.h"
#include "policy/document.h"
#include "policy/merge.h"

namespace pinfold {
namespace {

Result<Policy> from_text(std::string_view text, policy::Notation notation, const Caller& caller) {
  const policy::Document document = policy::read_document(text, notation, "policy", Source::kApi, {caller.working_dir});
  if (document.enabled && document.enabled->value == "false")
    return fail(ErrorKind::kRefused,
                document.enabled->where + ": the sandbox is switched off, and there is no other way to run",
                "leave out enabled = false");
  policy::Layers layers;
  layers.caller = caller;
  layers.user = &document;
  layers.flag_source = Source::kApi;
  return policy::merge(layers);
}

}  // namespace

Result<Policy> policy_from_toml(std::string_view text, const Caller& caller) noexcept {
  return guarded([&] { return from_text(text, policy::Notation::kToml, caller); });
}

Result<Policy> policy_from_json(std::string_view text, const Caller& caller) noexcept {
  return guarded([&] { return from_text(text, policy::Notation::kJson, caller); });
}

}  // namespace pinfold
