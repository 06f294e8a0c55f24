// complaint.cc: hostile error text of a command, in pieces of changing size.
// Invariant: inferred denials are bounded in number, and every name is a part of the line.
// Not here: real error lines (report/infer_test.cc).
#include "report/error_line.h"

#include <cstddef>
#include <cstdint>

#include "report/infer.h"
#include "world.h"

namespace {

using namespace pinfold;

const Plan& sample_plan() {
  static const Plan one = [] {
    Plan made;
    const auto step = [&](StepBody body) {
      made.steps.push_back({std::move(body), Need::kRequired, {Source::kPreset, "preset moderate"}});
    };
    ShowPath system;
    system.host = system.at = "/usr";
    ShowPath workspace;
    workspace.host = workspace.at = "/home/ada/ws";
    workspace.view = View::kWriteExec;
    HidePath secret;
    secret.at = "/home/ada/ws/.env";
    step(system);
    step(workspace);
    step(secret);
    step(ProtectPath{"/home/ada/ws/.git/hooks", EntryKind::kDirectory, {}});
    step(ProtectName{"/home/ada/ws", ".mcp.json", NameGuard::kWatch});
    step(PrivateTmp{{"/tmp"}, 0, true});
    step(Processes{});
    step(Devices{});
    step(Environment{{{"HOME", "/home/ada", {}}, {"PATH", "/usr/bin:/opt/sdk", {}}}});
    made.working_dir = "/home/ada/ws";
    return made;
  }();
  return one;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto error = report::read_error_line(text)) {
    fuzz::promise(error->count > 0 && error->count <= report::ErrorLine::kMostNames, "a few names");
    for (std::size_t i = 0; i < error->count; ++i)
      fuzz::promise(text.find(error->names[i]) != std::string_view::npos, "names are pieces of the line");
  }
  report::Inference inference(sample_plan(), fuzz::host());
  std::size_t piece = size == 0 ? 1 : data[0] % 64U + 1U;
  for (std::string_view rest = text; !rest.empty(); piece = piece * 3 % 251 + 1) {
    inference.feed(rest.substr(0, piece));
    rest.remove_prefix(std::min(piece, rest.size()));
  }
  fuzz::promise(std::move(inference).finish().size() <= 200, "a bounded number of denials");
  return 0;
}
