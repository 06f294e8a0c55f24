// grants.cc: `pinfold grants list`, `revoke` and `clear`: permanent grants.
// Invariant: every revoked grant is printed; `clear` needs a "yes" at the terminal or --yes.
// Not here: the store (session/grant_store.cc), `grants why` (grants_why.cc).
#include <unistd.h>

#include <charconv>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/encode.h"
#include "base/text.h"
#include "base/try.h"
#include "base/utf8.h"
#include "cli/commands.h"
#include "cli/grants_view.h"
#include "cli/options.h"
#include "cli/process_io.h"
#include "cli/prompt.h"
#include "policy/resolver.h"
#include "report/table.h"
#include "session/apply_grants.h"
#include "session/grant_text.h"
#include "sys/host.h"

namespace pinfold::cli {

namespace {

using Json = nlohmann::ordered_json;
using report::Cell;
using report::Paint;
using report::visible;
using session::GrantScope;
using session::GrantState;
using session::StoredGrant;

// The projects that a run in this directory would work in; if the policy has a mistake, this directory.
std::vector<std::string> roots_here(const Caller& caller, HostView& host) {
  settings::Sources sources;
  sources.layers.caller = caller;
  if (const auto loaded = settings::load(std::move(sources), host)) return session::project_roots(loaded->policy, host);
  return {policy::canonical_path(caller.working_dir, host).value_or(caller.working_dir)};
}

std::string_view word(GrantState state) {
  switch (state) {
    case GrantState::kGone: return "gone";
    case GrantState::kLeadsElsewhere: return "leads elsewhere";
    case GrantState::kInForce: break;
  }
  return "stands";
}

std::string as_table(const std::vector<StoredGrant>& all, HostView& host, report::Colour colour) {
  std::vector<std::vector<Cell>> rows = {{}};
  for (const char* head : {"NUMBER", "KIND", "RESOURCE", "SCOPE", "SINCE", "ASKED BY"})
    rows[0].push_back({head, Paint::kDim});
  for (const StoredGrant& one : all) {
    const GrantState state = session::state_of(one.grant, host);
    const bool stands = state == GrantState::kInForce;
    rows.push_back({{std::to_string(one.number), Paint::kBold},
                    {std::string(session::kind_word(one.grant.kind))},
                    {visible(one.grant.resource) + (stands ? "" : fmt::format(" ({})", word(state))),
                     stands ? Paint::kNone : Paint::kWarn},
                    {one.project ? visible(*one.project) : "everywhere"},
                    {session::date_of(one), Paint::kDim},
                    {visible(one.program), Paint::kDim}});
  }
  return report::table(rows, 0, colour);
}

std::string as_json(const std::vector<StoredGrant>& all, HostView& host) {
  Json out = Json::array();
  for (const StoredGrant& one : all) {
    Json row = {{"number", one.number},
                {"kind", session::kind_word(one.grant.kind)},
                {"resource", valid_utf8(one.grant.resource)},
                {"scope", one.project ? "project" : "user"},
                {"project", one.project ? Json(valid_utf8(*one.project)) : Json(nullptr)},
                {"since", timestamp(one.since)},
                {"state", word(session::state_of(one.grant, host))},
                {"program", valid_utf8(one.program)},
                {"operation", valid_utf8(one.operation)},
                {"asked", valid_utf8(one.requested)}};
    if (!is_utf8(one.grant.resource)) row["resource_bytes"] = base64(one.grant.resource);
    out.push_back(std::move(row));
  }
  return out.dump(2) + "\n";
}

Result<std::vector<std::uint64_t>> numbers_of(const std::vector<std::string>& words) {
  if (words.empty())
    return fail(ErrorKind::kInvalid, "no grant number is given",
                "pinfold grants revoke NUMBER; see: pinfold grants list");
  std::vector<std::uint64_t> out;
  for (const std::string& text : words) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number == 0)
      return fail(ErrorKind::kInvalid, fmt::format("{} is not the number of a grant", text::shown(text)),
                  "see: pinfold grants list");
    out.push_back(number);
  }
  return out;
}

Result<GrantScope> scope_to_clear(const CommandLine& parsed, const Caller& caller, HostView& host) {
  const int count = has_flag(parsed, Id::kOfProject) + has_flag(parsed, Id::kOfUser) + has_flag(parsed, Id::kOfAll);
  if (count > 1)
    return fail(ErrorKind::kInvalid, "more than one of --project, --user and --all is given", "keep one of them");
  if (has_flag(parsed, Id::kOfAll)) return GrantScope{true, {}, true};
  if (has_flag(parsed, Id::kOfUser)) return GrantScope{true};
  return GrantScope{!has_flag(parsed, Id::kOfProject), roots_here(caller, host)};
}

Result<void> clear(const CommandLine& parsed, Context& context) {
  if (!parsed.words.empty())
    return fail(ErrorKind::kInvalid, "`pinfold grants clear` takes no numbers", "pinfold grants revoke NUMBER");
  PF_TRY(caller, sys::find_caller(context.host));
  PF_TRY(scope, scope_to_clear(parsed, caller, context.host));
  session::GrantStore store(caller, context.host);
  const session::GrantListing listing = store.list(scope);
  if (listing.grants.empty() && listing.problems.empty()) {
    print(STDOUT_FILENO, "there are no grants to revoke\n");
    return {};
  }
  if (!listing.grants.empty())
    print(STDERR_FILENO, as_table(listing.grants, context.host, colour_for(STDERR_FILENO, context.host)));
  for (const Error& problem : listing.problems) print_warning(problem.text(), {}, context.host);
  if (!has_flag(parsed, Id::kYes) && !ask("Revoke these grants? Unreadable grant files are renamed aside."))
    return fail(ErrorKind::kRefused, "no grant was revoked",
                is_terminal(STDIN_FILENO) ? "" : "without a terminal: pinfold grants clear --yes");
  PF_TRY(cleared, store.clear(scope));
  std::string out = fmt::format("{} grant{} revoked\n", cleared.grants, cleared.grants == 1 ? "" : "s");
  for (const std::string& path : cleared.set_aside) out += fmt::format("renamed aside: {}\n", visible(path));
  print(STDOUT_FILENO, out);
  return {};
}

}  // namespace

std::string describe(const StoredGrant& one) {
  std::string out = fmt::format("grant {}: {} {}, {}, since {}", one.number, session::kind_word(one.grant.kind),
                                visible(one.grant.resource), one.project ? "in " + visible(*one.project) : "everywhere",
                                session::date_of(one));
  if (!one.program.empty()) out += ", asked by " + visible(one.program);
  return out;
}

int grants_list(const CommandLine& parsed, Context& context) {
  if (!parsed.words.empty())
    return complain(Error(ErrorKind::kInvalid, "`pinfold grants list` takes no names",
                          "for one path or host: pinfold grants why PATH"),
                    context.host);
  const auto caller = sys::find_caller(context.host);
  if (!caller) return complain(caller.error(), context.host);
  const session::GrantStore store(*caller, context.host);
  const bool every = has_flag(parsed, Id::kOfAll);
  const auto listing =
      store.list({true, every ? std::vector<std::string>{} : roots_here(*caller, context.host), every});
  if (has_flag(parsed, Id::kJson))
    print(STDOUT_FILENO, as_json(listing.grants, context.host));
  else if (!listing.grants.empty())
    print(STDOUT_FILENO, as_table(listing.grants, context.host, colour_for(STDOUT_FILENO, context.host)));
  else if (listing.problems.empty())
    print(STDOUT_FILENO,
          every ? "no permanent grants\n" : "no permanent grants for this project or for all projects\n");
  int code = 0;
  for (const Error& problem : listing.problems) code = complain(problem, context.host);
  return code;
}

int grants_revoke(const CommandLine& parsed, Context& context) {
  const auto numbers = numbers_of(parsed.words);
  if (!numbers) return complain(numbers.error(), context.host);
  const auto caller = sys::find_caller(context.host);
  if (!caller) return complain(caller.error(), context.host);
  const auto gone = session::GrantStore(*caller, context.host).revoke(*numbers);
  if (!gone) return complain(gone.error(), context.host);
  for (const StoredGrant& one : *gone) print(STDOUT_FILENO, "revoked: " + describe(one) + "\n");
  return 0;
}

int grants_clear(const CommandLine& parsed, Context& context) {
  const auto done = clear(parsed, context);
  return done ? 0 : complain(done.error(), context.host);
}

}  // namespace pinfold::cli
