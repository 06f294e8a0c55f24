// values.cc: one pair of functions for each type of value.
#include "control/values.h"

#include <cstdint>
#include <string_view>
#include <utility>

namespace pinfold::control {
namespace {

const std::vector<std::string_view> kErrorKinds = {"invalid", "refused", "not-found", "unavailable", "system"};
const std::vector<std::string_view> kSources = {"kernel", "inferred", "observed"};
const std::vector<std::string_view> kLimits = {"time", "memory", "processes", "cpu", "file-size", "output"};
const std::vector<std::string_view> kStrengths = {"absent", "partial", "enforced"};

template <typename Kind>
std::string word_of(const std::vector<std::string_view>& words, Kind kind) {
  return std::string(words[static_cast<std::size_t>(kind)]);
}

}  // namespace

Json json_of(const Error& error) {
  return {{"kind", word_of(kErrorKinds, error.kind())},
          {"text", bytes_json(error.text())},
          {"fix", bytes_json(error.fix())}};
}

Error read_error(const Json& json, Fields& blame) {
  Fields fields(json);
  const auto kind = static_cast<ErrorKind>(fields.word("kind", kErrorKinds));
  std::string text = fields.bytes("text");
  std::string fix = fields.bytes("fix");
  blame.take(fields.finish());
  return {kind, std::move(text), std::move(fix)};
}

Json json_of(const Denial& denial) {
  return {{"operation", bytes_json(denial.operation)},
          {"resource", bytes_json(denial.resource)},
          {"rule", bytes_json(denial.rule)},
          {"allow_with", bytes_json(denial.allow_with)},
          {"allow_note", bytes_json(denial.allow_note)},
          {"source", word_of(kSources, denial.source)},
          {"count", denial.count},
          {"named", bytes_json(denial.named)},
          {"pid", denial.pid},
          {"program", bytes_json(denial.program)},
          {"host", bytes_json(denial.host)},
          {"address", bytes_json(denial.address)},
          {"port", denial.port}};
}

Denial read_denial(const Json& json, Fields& blame) {
  Fields fields(json);
  Denial out;
  out.operation = fields.bytes("operation");
  out.resource = fields.bytes("resource");
  out.rule = fields.bytes("rule");
  out.allow_with = fields.bytes("allow_with");
  out.allow_note = fields.bytes("allow_note");
  out.source = static_cast<DenialSource>(fields.word("source", kSources));
  out.count = fields.count("count");
  out.named = fields.bytes("named");
  out.pid = static_cast<std::uint32_t>(fields.number("pid", 0, UINT32_MAX));
  out.program = fields.bytes("program");
  out.host = fields.bytes("host");
  out.address = fields.bytes("address");
  out.port = static_cast<std::uint16_t>(fields.number("port", 0, UINT16_MAX));
  blame.take(fields.finish());
  return out;
}

Json json_of(const LimitStep& limit) { return {{"kind", word_of(kLimits, limit.kind)}, {"amount", limit.amount}}; }

Json json_of(const Coverage& row) {
  return {{"step", row.step},
          {"required", row.need == Need::kRequired},
          {"strength", word_of(kStrengths, row.strength)},
          {"mechanism", bytes_json(row.mechanism)},
          {"gap", bytes_json(row.gap)},
          {"fix", bytes_json(row.fix)}};
}

namespace {

template <typename Value>
Json list_of(const std::vector<Value>& values) {
  Json out = Json::array();
  for (const Value& value : values) out.push_back(json_of(value));
  return out;
}

}  // namespace

Json json_of(const std::vector<Denial>& denials) { return list_of(denials); }

std::vector<Denial> read_denials(const Json& list, Fields& blame) {
  std::vector<Denial> out;
  for (const Json& each : list) out.push_back(read_denial(each, blame));
  return out;
}

Json json_of(const Usage& usage) {
  return {{"cpu_us", usage.cpu.count()}, {"peak_memory", usage.peak_memory}, {"processes", usage.processes}};
}

Usage read_usage(const Json& json, Fields& blame) {
  Fields fields(json);
  Usage out;
  out.cpu = std::chrono::microseconds(fields.count("cpu_us"));
  out.peak_memory = fields.count("peak_memory");
  out.processes = fields.count("processes");
  blame.take(fields.finish());
  return out;
}

Json json_of(const backend::TreeUsage& usage) {
  return {{"memory", usage.memory},
          {"processes", usage.processes},
          {"cpu_ms", usage.cpu.count()},
          {"out_of_memory", usage.out_of_memory}};
}

std::optional<backend::TreeUsage> read_tree_usage(const Json& json, Fields& blame) {
  if (json.is_null()) return std::nullopt;
  Fields fields(json);
  backend::TreeUsage out;
  out.memory = fields.count("memory");
  out.processes = fields.count("processes");
  out.cpu = std::chrono::milliseconds(fields.count("cpu_ms"));
  out.out_of_memory = fields.flag("out_of_memory");
  blame.take(fields.finish());
  return out;
}

Json json_of(const std::vector<LimitStep>& limits) { return list_of(limits); }

std::vector<LimitStep> read_limits(const Json& list, Fields& blame) {
  std::vector<LimitStep> out;
  for (const Json& each : list) {
    Fields fields(each);
    LimitStep limit;
    limit.kind = static_cast<LimitKind>(fields.word("kind", kLimits));
    limit.amount = fields.count("amount");
    blame.take(fields.finish());
    out.push_back(limit);
  }
  return out;
}

Json json_of(const std::vector<Coverage>& rows) { return list_of(rows); }

std::vector<Coverage> read_coverage(const Json& list, Fields& blame) {
  std::vector<Coverage> out;
  for (const Json& each : list) {
    Fields fields(each);
    Coverage row;
    row.step = fields.bytes("step");
    row.need = fields.flag("required") ? Need::kRequired : Need::kBestEffort;
    row.strength = static_cast<Strength>(fields.word("strength", kStrengths));
    row.mechanism = fields.bytes("mechanism");
    row.gap = fields.bytes("gap");
    row.fix = fields.bytes("fix");
    blame.take(fields.finish());
    out.push_back(std::move(row));
  }
  return out;
}

}  // namespace pinfold::control
