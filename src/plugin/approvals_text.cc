// approvals_text.cc: approvals as JSON.
// Invariant: parsing printed text gives the same value; unknown keys and wrong types are errors, never skipped.
// Not here: the file (approvals.cc).
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/try.h"
#include "plugin/approvals.h"
#include "plugin/json_tree.h"
#include "plugin/manifest.h"

namespace pinfold::plugin {
namespace {

using policy::Member;
using policy::Node;
using policy::Table;

std::string at(const policy::SourceLocation& location) {
  return "line " + std::to_string(location.line) + ", column " + std::to_string(location.column);
}

tl::unexpected<Error> wrong(const policy::SourceLocation& location, const std::string& what) {
  return fail(ErrorKind::kInvalid, at(location) + ": " + what);
}

Result<const Table*> object(const Member& member) {
  if (const auto* table = std::get_if<Table>(&member.node.value)) return table;
  return wrong(member.node.location, text::shown(member.key) + " is not an object");
}

Result<std::string> string_of(const Member& member) {
  if (const auto* text = std::get_if<std::string>(&member.node.value)) return *text;
  return wrong(member.node.location, text::shown(member.key) + " is not a string");
}

bool is_hash(std::string_view text, std::string_view start) {
  constexpr std::size_t kDigits = 64;
  return text.size() == start.size() + kDigits && text.starts_with(start) &&
         text.find_first_not_of("0123456789abcdef", start.size()) == std::string_view::npos;
}

Result<std::map<std::string, std::string>> tools_of(const Member& member) {
  PF_TRY(table, object(member));
  std::map<std::string, std::string> out;
  for (const Member& one : *table) {
    PF_TRY(pin, string_of(one));
    if (!is_hash(pin, "sha256/v1:")) return wrong(one.location, "the pin of a tool is damaged");
    out[one.key] = std::move(pin);
  }
  return out;
}

Result<Approval> approval_of(const Member& member) {
  PF_TRY(table, object(member));
  Approval out;
  bool has_permissions = false;
  for (const Member& one : *table) {
    if (one.key == "permissions") {
      std::vector<policy::Mistake> mistakes;
      out.permissions = read_permissions(one.node, mistakes);
      if (!mistakes.empty()) return wrong(mistakes[0].location, mistakes[0].what);
      has_permissions = true;
    } else if (one.key == "tools") {
      PF_TRY(tools, tools_of(one));
      out.tools = std::move(tools);
    } else {
      PF_TRY(text, string_of(one));
      if (one.key == "version")
        out.version = std::move(text);
      else if (one.key == "permissions_hash")
        out.permissions_hash = std::move(text);
      else if (one.key == "files_hash")
        out.files_hash = std::move(text);
      else if (one.key == "approved_at")
        out.approved_at = std::move(text);
      else
        return wrong(one.location, "there is no key \"" + text::shown(one.key) + "\"");
    }
  }
  if (out.version.empty() || out.approved_at.empty() || !is_hash(out.permissions_hash, "sha256:"))
    return wrong(member.location, "the approval of " + text::shown(member.key) + " is incomplete");
  // An approval written by another program may have no permissions; the user is then asked again.
  if (has_permissions && permissions_hash(out.permissions) != out.permissions_hash)
    return wrong(member.location, "the permissions of " + text::shown(member.key) + " do not match their hash");
  return out;
}

Result<Refusal> refusal_of(const Member& member) {
  PF_TRY(table, object(member));
  Refusal out;
  for (const Member& one : *table) {
    if (one.key != "denied_at") return wrong(one.location, "there is no key \"" + text::shown(one.key) + "\"");
    PF_TRY(text, string_of(one));
    out.denied_at = std::move(text);
  }
  return out;
}

}  // namespace

Result<Approvals> parse_approvals(std::string_view text) {
  const policy::ParsedText parsed = read_json(text);
  if (!parsed.mistakes.empty()) return wrong(parsed.mistakes[0].location, parsed.mistakes[0].what);
  Approvals out;
  for (const Member& member : parsed.root) {
    if (member.key != "approved" && member.key != "denied")
      return wrong(member.location, "there is no key \"" + text::shown(member.key) + "\"");
    PF_TRY(table, object(member));
    for (const Member& one : *table) {
      if (!is_plugin_id(one.key))
        return wrong(one.location, "\"" + text::shown(one.key) + "\" is not the id of a plugin");
      if (member.key == "approved") {
        PF_TRY(approval, approval_of(one));
        out.approved[one.key] = std::move(approval);
      } else {
        PF_TRY(refusal, refusal_of(one));
        out.denied[one.key] = std::move(refusal);
      }
    }
  }
  for (const auto& [id, refusal] : out.denied)
    if (out.approved.contains(id)) return fail(ErrorKind::kInvalid, id + " is approved and denied");
  return out;
}

std::string print_approvals(const Approvals& approvals) {
  using Json = nlohmann::ordered_json;
  Json approved = Json::object();
  for (const auto& [id, one] : approvals.approved) {
    Json row = {{"version", one.version},
                {"permissions_hash", one.permissions_hash},
                {"approved_at", one.approved_at},
                {"files_hash", one.files_hash}};
    // Only permissions that match the hash: an approval that was read without permissions is written without them.
    if (permissions_hash(one.permissions) == one.permissions_hash)
      row["permissions"] = Json::parse(canonical_json(one.permissions));
    row["tools"] = one.tools;
    approved[id] = std::move(row);
  }
  Json denied = Json::object();
  for (const auto& [id, one] : approvals.denied) denied[id] = {{"denied_at", one.denied_at}};
  return Json{{"approved", std::move(approved)}, {"denied", std::move(denied)}}.dump(2, ' ', false,
                                                                                     Json::error_handler_t::replace) +
         "\n";
}

}  // namespace pinfold::plugin
