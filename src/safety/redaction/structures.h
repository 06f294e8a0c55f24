// structures.h: secrets that are known by how they are built: blocks of keys, web tokens, addresses with a password.
// Invariant: as for every rule: bounded, from one place.
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

Found find_key_block(const Spot& spot);  // at the first "-" of "-----BEGIN … PRIVATE KEY-----"
Found find_putty_key(const Spot& spot);  // at the ":" of "Private-Lines: 8"
Found find_web_token(const Spot& spot);  // at the "e" of "eyJ"
Found find_address(const Spot& spot);    // at the ":" of "://ada:secret@host"
Found find_hash(const Spot& spot);       // at the first "$" of "$6$…", or the "{" of "{SSHA}…"
Found find_webhook(const Spot& spot);  // at the "h" of "hooks.slack.com/services/", "d" of "discord.com/api/webhooks/"
// At the first of so many digits of "123456789:AA…" (Telegram), "0/1234567890123456:…" (Asana), "123456789012345|…".
Found find_numbered_token(const Spot& spot, std::size_t digits);
Found find_azure_secret(const Spot& spot);    // at the "~" of "abc8Q~…"
Found find_maxmind_key(const Spot& spot);     // at the "m" of "…_mmk"
Found find_firebase_token(const Spot& spot);  // at the ":" of "…:APA91b…"
Found find_discord_token(const Spot& spot);   // at the first "." of "M….….…"
Found find_pgpass(const Spot& spot);          // at the first ":" of "host:5432:db:user:x"

// Inside a block: how much of what comes belongs to it.
struct Eaten {
  std::size_t bytes = 0;
  bool more = false;
};
Eaten eat_key_block(std::string_view ahead);

}  // namespace pinfold::redaction
