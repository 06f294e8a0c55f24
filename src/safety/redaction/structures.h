// structures.h: secrets with a recognisable structure: key blocks, web tokens, addresses with a password.
// Invariant: as for every rule: bounded work, from one position.
// Not here: prefixes (tokens.h), names (assignments.h).
#pragma once

#include "safety/redaction/rule.h"

namespace pinfold::redaction {

extern const Rule kKeyBlockRule;
extern const Rule kWebTokenRule;
extern const Rule kAddressRule;
extern const Rule kHashRule;
extern const Rule kWebhookRule;
extern const Rule kTelegramRule;
extern const Rule kDiscordRule;
extern const Rule kAsanaRule;
extern const Rule kFacebookRule;
extern const Rule kAzureRule;
extern const Rule kMaxmindRule;
extern const Rule kFirebaseRule;

OptionalMatch find_key_block(const Spot& spot);  // at the first "-" of "-----BEGIN … PRIVATE KEY-----"
OptionalMatch find_putty_key(const Spot& spot);  // at the ":" of "Private-Lines: 8"
OptionalMatch find_web_token(const Spot& spot);  // at the "e" of "eyJ"
OptionalMatch find_address(const Spot& spot);    // at the ":" of "://ada:secret@host"
OptionalMatch find_hash(const Spot& spot);       // at the first "$" of "$6$…", or the "{" of "{SSHA}…"
OptionalMatch find_webhook(
    const Spot& spot);  // at the "h" of "hooks.slack.com/services/", "d" of "discord.com/api/webhooks/"
// At the first of so many digits of "123456789:AA…" (Telegram), "0/1234567890123456:…" (Asana), "123456789012345|…".
OptionalMatch find_numbered_token(const Spot& spot, std::size_t digits);
OptionalMatch find_azure_secret(const Spot& spot);    // at the "~" of "abc8Q~…"
OptionalMatch find_maxmind_key(const Spot& spot);     // at the "m" of "…_mmk"
OptionalMatch find_firebase_token(const Spot& spot);  // at the ":" of "…:APA91b…"
OptionalMatch find_discord_token(const Spot& spot);   // at the first "." of "M….….…"
OptionalMatch find_pgpass(const Spot& spot);          // at the first ":" of "host:5432:db:user:x"

// Inside a key block: the number of the next bytes that belong to it.
struct KeyBlockPart {
  std::size_t bytes = 0;
  bool more = false;
};
KeyBlockPart skip_key_block(std::string_view ahead);

}  // namespace pinfold::redaction
