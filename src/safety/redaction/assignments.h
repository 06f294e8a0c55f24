// assignments.h: secrets that a name in front of them gives away: PASSWORD=x, "api_key": "x", <Pass>x</Pass>, --token
// x. Invariant: the place is the sign between name and value; both are within what a spot shows. Not here: which names
// (secret_names.h) and which values (values.h) count.
#pragma once

#include "safety/redaction/rule.h"

namespace pinfold::redaction {

extern const Rule kPasswordRule;
extern const Rule kGenericRule;
extern const Rule kHeaderRule;

Found find_assigned(const Spot& spot);  // at "=" or ":"
Found find_tagged(const Spot& spot);    // at the ">" of <password>
Found find_called(const Spot& spot);    // at the "(" of setPassword("x")
Found find_paired(const Spot& spot);    // at the "," of "password", "x"
Found find_flagged(const Spot& spot);   // at the first "-" of --password x, -storepass x, -u user:x
// In a command: echo SECRET | sudo -S, htpasswd -b FILE USER SECRET. `word` stands at the place, `at` is past it.
Found find_piped(const Spot& spot, std::string_view word, std::size_t at);
Found find_told(const Spot& spot);  // at the first letter of "password x" (.netrc), "password is x", "Bearer x"

}  // namespace pinfold::redaction
