// sbpl.cc: hostile names in a profile for macOS: a directory that may be written, a protected name and a pattern in it.
// Invariant: quoted text reads back as the same bytes; with any bytes in the names, the profile allows that directory
// and no other; a byte that would end it early is refused. Not here: random policies
// (tests/platforms/sbpl_property_test.cc).
#include "backend/darwin/sbpl.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "backend/darwin/arguments.h"
#include "backend/darwin/sbpl_evaluator.h"
#include "backend/darwin/sbpl_text.h"
#include "base/glob.h"
#include "world.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pinfold;
  using namespace pinfold::backend::darwin;
  using pinfold::fuzz::promise;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto forms = FormReader::all(sbpl_string(text));
  promise(forms.size() == 1 && forms[0].kind == Form::Kind::kString && forms[0].text == text, "quoting reads back");

  std::string name = text;
  std::erase(name, '/');
  if (name.empty()) return 0;
  const std::string root = "/w/" + name;
  Plan plan;
  plan.steps.push_back({ShowPath{root, root, View::kWriteExec, EntryKind::kDirectory, Ensure::kExists, {}},
                        Need::kRequired,
                        {Source::kFlag, "--write " + text}});
  plan.steps.push_back({ProtectName{root, name, NameGuard::kWatch, false}, Need::kRequired, {}});
  if (Glob::parse(Glob::escaped(name) + ".pem"))
    plan.names.push_back({root, Glob::escaped(name) + ".pem", {}, {Source::kFlag, text}});
  const Profile profile = make_profile(plan, {}, "pinfold-1", 0);
  const bool refused = !sandbox_arguments(profile, {"/bin/true"});
  promise(refused == (name.find('\0') != std::string::npos), "a NUL byte, and nothing else, is refused");
  if (refused) return 0;
  const Evaluator box(profile.text, {});
  promise(box.allows({"file-write-data", root + "/" + name + "y"}), "the directory may be written");
  promise(!box.allows({"file-write-data", root + "/" + name + "/x"}), "the protected name may not");
  promise(plan.names.empty() || !box.allows({"file-read-data", root + "/d/" + name + ".pem"}), "the pattern hides");
  for (const char* path : {"/w/", "/w", "/Users/ada/.ssh/id_rsa", "/", "/private/etc/passwd"})
    promise(!box.allows({"file-write-data", path}), "nothing else may be written");
  promise(!box.allows({"network-outbound", "", "", "1.2.3.4:80"}), "no network");
  promise(!box.allows({"mach-lookup", "", "com.apple.SecurityServer"}), "no keychain");
  return 0;
}
