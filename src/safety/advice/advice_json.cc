// advice_json.cc: the names of shells, and advice as members of a JSON object.
// Not here: advice as text for people (cli/advice_view.h).
#include "safety/advice/advice_json.h"

#include <nlohmann/json.hpp>

#include "safety/advice/advice.h"

namespace pinfold::advice {

std::optional<Shell> shell_called(std::string_view name) {
  if (name == "auto") return Shell::kAuto;
  if (name == "bash" || name == "sh" || name == "posix") return Shell::kPosix;
  if (name == "powershell" || name == "pwsh" || name == "cmd") return Shell::kPowerShell;
  return std::nullopt;
}

std::string json_members(const Advice& advice) {
  using Json = nlohmann::ordered_json;
  Json findings = Json::array();
  for (const Finding& one : advice.findings)
    findings.push_back({{"rule", one.rule},
                        {"category", one.category},
                        {"verdict", name_of(one.verdict)},
                        {"begin", one.begin},
                        {"end", one.end},
                        {"reason", one.reason},
                        {"safer", one.safer.empty() ? Json(nullptr) : Json(one.safer)}});
  const Json all = {
      {"verdict", name_of(advice.verdict)}, {"complete", advice.complete}, {"findings", std::move(findings)}};
  const std::string text = all.dump();
  return text.substr(1, text.size() - 2);
}

}  // namespace pinfold::advice
