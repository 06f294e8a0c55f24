// grants.cc: `pinfold grants list`, `revoke` and `clear`: what the user allowed for always.
// Invariant: what is taken back is printed; nothing is cleared without a person's yes or --yes.
// Not here: the store (session/grant_store.cc), which grant decides (grants_why.cc).
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
#include "cli/prompt.h"
#include "cli/process_io.h"
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

// The projects that a run here would work in; where the policy has a mistake, this directory.
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
    case GrantState::kStands: break;
  }
  return "stands";
}

std::string as_table(const std::vector<StoredGrant>& all, HostView& host, report::Colour colour) {
  std::vector<std::vector<Cell>> rows = {{}};
  for (const char* head : {"NUMBER", "WHAT", "RESOURCE", "SCOPE", "SINCE", "ASKED BY"})
    rows[0].push_back({head, Paint::kDim});
  for (const StoredGrant& one : all) {
    const GrantState state = session::state_of(one.grant, host);
    const bool stands = state == GrantState::kStands;
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
                {"asked", valid_utf8(one.asked)}};
    if (!is_utf8(one.grant.resource)) row["resource_bytes"] = base64(one.grant.resource);
    out.push_back(std::move(row));
  }
  return out.dump(2) + "\n";
}

Result<std::vector<std::uint64_t>> numbers_of(const std::vector<std::string>& words) {
  if (words.empty())
    return fail(ErrorKind::kInvalid, "which grant?", "pinfold grants revoke NUMBER; see: pinfold grants list");
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

Result<GrantScope> scope_to_clear(const Parsed& parsed, const Caller& caller, HostView& host) {
  const int said = given(parsed, Id::kOfProject) + given(parsed, Id::kOfUser) + given(parsed, Id::kOfAll);
  if (said > 1)
    return fail(ErrorKind::kInvalid, "--project, --user and --all are different answers", "keep one of them");
  if (given(parsed, Id::kOfAll)) return GrantScope{true, {}, true};
  if (given(parsed, Id::kOfUser)) return GrantScope{true};
  return GrantScope{!given(parsed, Id::kOfProject), roots_here(caller, host)};
}

Result<void> clear(const Parsed& parsed, Context& context) {
  if (!parsed.words.empty())
    return fail(ErrorKind::kInvalid, "`pinfold grants clear` takes no numbers", "pinfold grants revoke NUMBER");
  PF_TRY(caller, sys::find_caller(context.host), "");
  PF_TRY(scope, scope_to_clear(parsed, caller, context.host), "");
  session::GrantStore store(caller, context.host);
  const session::GrantListing listing = store.list(scope);
  if (listing.grants.empty() && listing.problems.empty()) {
    print(STDOUT_FILENO, "there is nothing to clear\n");
    return {};
  }
  if (!listing.grants.empty())
    print(STDERR_FILENO, as_table(listing.grants, context.host, colour_for(STDERR_FILENO, context.host)));
  for (const Error& problem : listing.problems) print_warning(problem.text(), {}, context.host);
  if (!given(parsed, Id::kYes) && !ask("Take this back? What cannot be read is set aside."))
    return fail(ErrorKind::kRefused, "nothing was cleared",
                is_terminal(STDIN_FILENO) ? "" : "without a terminal: pinfold grants clear --yes");
  PF_TRY(cleared, store.clear(scope), "");
  std::string out = fmt::format("{} grant{} taken back\n", cleared.grants, cleared.grants == 1 ? "" : "s");
  for (const std::string& path : cleared.set_aside) out += fmt::format("set aside: {}\n", visible(path));
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

int grants_list(const Parsed& parsed, Context& context) {
  if (!parsed.words.empty())
    return complain(Error(ErrorKind::kInvalid, "`pinfold grants list` takes no names",
                          "for one path or host: pinfold grants why PATH"),
                    context.host);
  const auto caller = sys::find_caller(context.host);
  if (!caller) return complain(caller.error(), context.host);
  const session::GrantStore store(*caller, context.host);
  const bool every = given(parsed, Id::kOfAll);
  const auto listing =
      store.list({true, every ? std::vector<std::string>{} : roots_here(*caller, context.host), every});
  if (given(parsed, Id::kJson))
    print(STDOUT_FILENO, as_json(listing.grants, context.host));
  else if (!listing.grants.empty())
    print(STDOUT_FILENO, as_table(listing.grants, context.host, colour_for(STDOUT_FILENO, context.host)));
  else if (listing.problems.empty())
    print(STDOUT_FILENO, every ? "you have allowed nothing for always\n"
                               : "you have allowed nothing for always, neither everywhere nor in this project\n");
  int code = 0;
  for (const Error& problem : listing.problems) code = complain(problem, context.host);
  return code;
}

int grants_revoke(const Parsed& parsed, Context& context) {
  const auto numbers = numbers_of(parsed.words);
  if (!numbers) return complain(numbers.error(), context.host);
  const auto caller = sys::find_caller(context.host);
  if (!caller) return complain(caller.error(), context.host);
  const auto gone = session::GrantStore(*caller, context.host).revoke(*numbers);
  if (!gone) return complain(gone.error(), context.host);
  for (const StoredGrant& one : *gone) print(STDOUT_FILENO, "taken back: " + describe(one) + "\n");
  return 0;
}

int grants_clear(const Parsed& parsed, Context& context) {
  const auto done = clear(parsed, context);
  return done ? 0 : complain(done.error(), context.host);
}

}  // namespace pinfold::cli
