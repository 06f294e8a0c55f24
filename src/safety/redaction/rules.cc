// rules.cc: collects the rules of all tables.
// Invariant: each name once.
// Not here: matching.
#include "safety/redaction/rules.h"

#include <algorithm>
#include <tuple>

#include "safety/redaction/assignments.h"
#include "safety/redaction/contacts.h"
#include "safety/redaction/structures.h"
#include "safety/redaction/tokens.h"

namespace pinfold::redaction {

std::vector<const Rule*> all_rules() {
  std::vector<const Rule*> out = {&kPasswordRule, &kGenericRule,  &kHeaderRule,  &kKeyBlockRule, &kWebTokenRule,
                                  &kAddressRule,  &kHashRule,     &kWebhookRule, &kTelegramRule, &kDiscordRule,
                                  &kAsanaRule,    &kFacebookRule, &kAzureRule,   &kMaxmindRule,  &kFirebaseRule};
  for (const TokenRule& one : token_rules()) out.push_back(&one.rule);
  for (const Rule* one : number_rules()) out.push_back(one);
  for (const Rule* one : contact_rules()) out.push_back(one);
  for (const Rule* one : announced_rules()) out.push_back(one);
  std::stable_sort(out.begin(), out.end(), [](const Rule* a, const Rule* b) {
    return std::tie(a->group, a->name) < std::tie(b->group, b->name);
  });
  out.erase(std::unique(out.begin(), out.end(), [](const Rule* a, const Rule* b) { return a->name == b->name; }),
            out.end());
  return out;
}

}  // namespace pinfold::redaction
