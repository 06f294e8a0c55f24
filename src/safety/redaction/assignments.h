// assignments.h: secrets found by the name before them: PASSWORD=x, "api_key": "x", <Pass>x</Pass>, --token x.
// Invariant: the position is the sign between name and value; both are within the Spot. Not here: the names of secrets
// (secret_names.h), the form of values (values.h).
#pragma once

#include "safety/redaction/rule.h"

namespace pinfold::redaction {

extern const Rule kPasswordRule;
extern const Rule kGenericRule;
extern const Rule kHeaderRule;

OptionalMatch find_assigned(const Spot& spot);  // at "=" or ":"
OptionalMatch find_tagged(const Spot& spot);    // at the ">" of <password>
OptionalMatch find_called(const Spot& spot);    // at the "(" of setPassword("x")
OptionalMatch find_paired(const Spot& spot);    // at the "," of "password", "x"
OptionalMatch find_flagged(const Spot& spot);   // at the first "-" of --password x, -storepass x, -u user:x
// In a command: echo SECRET | sudo -S, htpasswd -b FILE USER SECRET. `word` is at the position, `at` is the offset
// after it.
OptionalMatch find_piped(const Spot& spot, std::string_view word, std::size_t at);
OptionalMatch find_stated(
    const Spot& spot);  // at the first letter of "password x" (.netrc), "password is x", "Bearer x"

}  // namespace pinfold::redaction
