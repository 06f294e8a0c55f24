// grant_text.cc: grants as JSON.
#include "session/grant_text.h"

#include <limits>

#include "control/fields.h"

namespace pinfold::session {
namespace {

using control::bytes_json;
using control::Fields;
using control::Json;

constexpr int kVersion = 1;
constexpr std::string_view kKinds[] = {"read", "write", "net"};  // as Grant::Kind counts them

StoredGrant grant_of(const Json& json, Fields& blame) {
  Fields fields(json);
  StoredGrant out;
  out.number = static_cast<std::uint64_t>(fields.number("number", 1, std::numeric_limits<std::int64_t>::max()));
  out.grant.kind = static_cast<Grant::Kind>(fields.word("kind", {std::begin(kKinds), std::end(kKinds)}));
  out.grant.resource = fields.bytes("resource");
  const auto since = parse_timestamp(fields.bytes("since"));
  if (since)
    out.since = since->when;
  else
    fields.refuse(since.error().text());
  out.program = fields.bytes("program");
  out.operation = fields.bytes("operation");
  out.requested = fields.bytes("asked");
  blame.take(fields.finish());
  return out;
}

}  // namespace

std::string_view kind_word(Grant::Kind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

Result<GrantFile> parse_grants(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  Fields fields(json);
  fields.number("version", kVersion, kVersion);
  GrantFile out;
  if (const Json& project = fields.value("project"); fields.is_fine() && !project.is_null())
    out.project = control::bytes_of(project, fields);
  for (const Json& one : fields.list("grants", kMostGrants)) out.grants.push_back(grant_of(one, fields));
  auto finished = fields.finish();
  if (!finished) return tl::unexpected<Error>(std::move(finished).error());
  return out;
}

std::string print_grants(const GrantFile& file) {
  Json list = Json::array();
  for (const StoredGrant& one : file.grants)
    list.push_back({{"number", one.number},
                    {"kind", kind_word(one.grant.kind)},
                    {"resource", bytes_json(one.grant.resource)},
                    {"since", timestamp(one.since)},
                    {"program", bytes_json(one.program)},
                    {"operation", bytes_json(one.operation)},
                    {"asked", bytes_json(one.requested)}});
  const Json out = {{"version", kVersion},
                    {"project", file.project ? bytes_json(*file.project) : Json(nullptr)},
                    {"grants", std::move(list)}};
  return out.dump(2) + "\n";
}

}  // namespace pinfold::session
