// message.cc: converts every message to JSON and back.
#include "control/message.h"

#include <climits>
#include <utility>

#include "base/try.h"
#include "control/fields.h"
#include "control/values.h"

namespace pinfold::control {
namespace {

constexpr std::size_t kMostWords = 1'000'000;
constexpr std::size_t kMostLines = 1000;

template <typename... Each>
struct Overloaded : Each... {
  using Each::operator()...;
};
template <typename... Each>
Overloaded(Each...) -> Overloaded<Each...>;

Json headed(const char* kind, const char* word) { return {{"v", kVersion}, {kind, word}}; }

std::string dump(const Json& json) { return json.dump(); }

Json words_json(const std::vector<std::string>& words) {
  Json out = Json::array();
  for (const std::string& word : words) out.push_back(bytes_json(word));
  return out;
}

Json terminal_json(const termios& settings, const winsize& size) {
  Json characters = Json::array();
  for (const cc_t each : settings.c_cc) characters.push_back(each);
  return {{"input", settings.c_iflag}, {"output", settings.c_oflag}, {"control", settings.c_cflag},
          {"local", settings.c_lflag}, {"line", settings.c_line},    {"characters", std::move(characters)},
          {"rows", size.ws_row},       {"columns", size.ws_col},     {"width", size.ws_xpixel},
          {"height", size.ws_ypixel}};
}

Result<void> read_terminal(const Json& json, termios& settings, winsize& size) {
  Fields fields(json);
  settings.c_iflag = static_cast<tcflag_t>(fields.number("input", 0, UINT_MAX));
  settings.c_oflag = static_cast<tcflag_t>(fields.number("output", 0, UINT_MAX));
  settings.c_cflag = static_cast<tcflag_t>(fields.number("control", 0, UINT_MAX));
  settings.c_lflag = static_cast<tcflag_t>(fields.number("local", 0, UINT_MAX));
  settings.c_line = static_cast<cc_t>(fields.number("line", 0, UCHAR_MAX));
  const Json& characters = fields.list("characters", NCCS);
  for (std::size_t i = 0; i < characters.size(); ++i) {
    if (!characters[i].is_number_unsigned() || characters[i] > UCHAR_MAX) fields.refuse("characters");
    if (fields.is_fine()) settings.c_cc[i] = characters[i].get<cc_t>();
  }
  size.ws_row = static_cast<unsigned short>(fields.number("rows", 0, USHRT_MAX));
  size.ws_col = static_cast<unsigned short>(fields.number("columns", 0, USHRT_MAX));
  size.ws_xpixel = static_cast<unsigned short>(fields.number("width", 0, USHRT_MAX));
  size.ws_ypixel = static_cast<unsigned short>(fields.number("height", 0, USHRT_MAX));
  return fields.finish();
}

Json run_json(const request::Run& run) {
  Json out = headed("ask", "run");
  out["argv"] = words_json(run.launch.argv);
  if (!run.launch.working_dir.empty()) {
    out["directory"] = bytes_json(run.launch.working_dir);
    out["if_shown"] = run.directory == request::Directory::kIfShown;
  }
  Json variables = Json::array();
  for (const Variable& each : run.launch.variables)
    variables.push_back(Json::array({bytes_json(each.name), bytes_json(each.value)}));
  out["variables"] = std::move(variables);
  out["fresh_signals"] = run.launch.signals == backend::SignalState::kFresh;
  out["knows_limits"] = run.knows_limits;
  int mask = 0;
  for (int i = 0; i < 3; ++i)
    if (run.launch.stdio[i] == backend::StdioKind::kTerminal) mask |= 1 << i;
  out["terminals"] = mask;
  if (mask != 0) out["terminal"] = terminal_json(run.launch.terminal, run.launch.terminal_size);
  return out;
}

void no_zero(const std::string& text, Fields& fields) {
  if (text.find('\0') != std::string::npos) fields.refuse("a text contains a NUL byte");
}

request::Run read_run(Fields& fields) {
  request::Run run;
  for (const Json& word : fields.list("argv", kMostWords)) {
    run.launch.argv.push_back(bytes_of(word, fields));
    no_zero(run.launch.argv.back(), fields);
  }
  if (run.launch.argv.empty() || run.launch.argv[0].empty()) fields.refuse("there is no command");
  if (fields.has("directory")) {
    run.launch.working_dir = fields.bytes("directory");
    no_zero(run.launch.working_dir, fields);
    if (!run.launch.working_dir.starts_with("/")) fields.refuse("the directory is not absolute");
    run.directory = fields.flag("if_shown") ? request::Directory::kIfShown : request::Directory::kWanted;
  }
  for (const Json& each : fields.list("variables", kMostWords)) {
    if (!each.is_array() || each.size() != 2) {
      fields.refuse("a variable is not a pair");
      break;
    }
    Variable variable{bytes_of(each[0], fields), bytes_of(each[1], fields), {}};
    no_zero(variable.name + variable.value, fields);
    if (variable.name.empty() || variable.name.find('=') != std::string::npos) fields.refuse("a variable has no name");
    run.launch.variables.push_back(std::move(variable));
  }
  if (fields.flag("fresh_signals")) run.launch.signals = backend::SignalState::kFresh;
  run.knows_limits = fields.flag("knows_limits");
  const auto mask = fields.number("terminals", 0, 7);
  for (int i = 0; i < 3; ++i)
    if ((mask & (1 << i)) != 0) run.launch.stdio[i] = backend::StdioKind::kTerminal;
  if (mask != 0) fields.take(read_terminal(fields.value("terminal"), run.launch.terminal, run.launch.terminal_size));
  return run;
}

Result<Json> read_json(std::string_view text) {
  if (text.size() > kLongestMessage) return fail(ErrorKind::kInvalid, "a message is too long");
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded() || !json.is_object()) return fail(ErrorKind::kInvalid, "a message is not a JSON object");
  if (!json.contains("v") || json["v"] != kVersion)
    return fail(ErrorKind::kInvalid,
                "the other side uses another version of the control protocol (" +
                    (json.contains("v") ? json["v"].dump().substr(0, 20) : std::string("none")) + ", ours is " +
                    std::to_string(kVersion) + ")",
                "use the same pinfold for the session and its commands");
  return json;
}

Result<void> check_understood(Fields& fields) {
  auto finished = fields.finish();
  if (!finished) return tl::unexpected<Error>(std::move(finished).error().within("invalid message"));
  return finished;
}

}  // namespace

std::string to_text(const Request& message) {
  return dump(std::visit(Overloaded{[](const request::Run& run) { return run_json(run); },
                                    [](const request::Signal& signal) {
                                      Json out = headed("ask", "signal");
                                      out["number"] = signal.number;
                                      return out;
                                    },
                                    [](const request::Terminate&) { return headed("ask", "terminate"); },
                                    [](const request::Kill&) { return headed("ask", "kill"); },
                                    [](const request::Usage&) { return headed("ask", "usage"); },
                                    [](const request::InferDenials& request) {
                                      Json out = headed("ask", "judge");
                                      out["complaints"] = words_json(request.complaints);
                                      return out;
                                    },
                                    [](const request::Drain&) { return headed("ask", "drain"); },
                                    [](const request::Describe&) { return headed("ask", "describe"); },
                                    [](const request::Stop&) { return headed("ask", "stop"); },
                                    [](const request::Watch&) { return headed("ask", "watch"); },
                                    [](const request::Decide& decide) {
                                      Json out = headed("ask", "answer");
                                      out["question"] = decide.request;
                                      out["answer"] = word_of(decide.decision);
                                      return out;
                                    },
                                    [](const request::Revoke& revoke) {
                                      Json out = headed("ask", "revoke");
                                      out["grant"] = revoke.grant;
                                      return out;
                                    }},
                         message));
}

Result<Request> parse_request(std::string_view text) {
  PF_TRY(json, read_json(text));
  Fields fields(json);
  static_cast<void>(fields.value("v"));
  const std::size_t word = fields.word("ask", {"run", "signal", "terminate", "kill", "usage", "judge", "describe",
                                               "drain", "stop", "watch", "answer", "revoke"});
  Request out = request::Stop{};
  switch (word) {
    case 0: out = read_run(fields); break;
    case 1: out = request::Signal{static_cast<int>(fields.number("number", 1, 64))}; break;
    case 2: out = request::Terminate{}; break;
    case 3: out = request::Kill{}; break;
    case 4: out = request::Usage{}; break;
    case 5: {
      request::InferDenials infer;
      for (const Json& line : fields.list("complaints", kMostLines)) infer.complaints.push_back(bytes_of(line, fields));
      out = std::move(infer);
      break;
    }
    case 6: out = request::Describe{}; break;
    case 7: out = request::Drain{}; break;
    case 9: out = request::Watch{}; break;
    case 10: {
      request::Decide decide;
      decide.request = fields.count("question");
      decide.decision = read_decision(fields, "answer");
      out = decide;
      break;
    }
    case 11: out = request::Revoke{fields.count("grant")}; break;
    default: break;
  }
  PF_CHECK(check_understood(fields));
  return out;
}

std::string to_text(const Event& message) {
  return dump(std::visit(Overloaded{[](const event::CommandStart& event) {
                                      Json out = headed("tell", "started");
                                      out["backend"] = event.backend;
                                      out["terminal"] = event.has_terminal;
                                      return out;
                                    },
                                    [](const event::Failure& event) {
                                      Json out = headed("tell", "failed");
                                      out["error"] = json_of(event.error);
                                      out["denials"] = json_of(event.denials);
                                      return out;
                                    },
                                    [](const event::Limits& event) {
                                      Json out = headed("tell", "limits");
                                      out["limits"] = json_of(event.limits);
                                      return out;
                                    },
                                    [](const event::CommandEnd& event) {
                                      Json out = headed("tell", "ended");
                                      out["status"] = event.wait_status;
                                      out["usage"] = json_of(event.usage);
                                      return out;
                                    },
                                    [](const event::CommandStop&) { return headed("tell", "stopped"); },
                                    [](const event::AccessDenial& event) {
                                      Json out = headed("tell", "denied");
                                      out["denial"] = json_of(event.denial);
                                      return out;
                                    },
                                    [](const event::Breach& event) {
                                      Json out = headed("tell", "breached");
                                      out["denial"] = json_of(event.denial);
                                      out["note"] = bytes_json(event.note);
                                      return out;
                                    },
                                    [](const event::SandboxEnd& event) {
                                      Json out = headed("tell", "gone");
                                      out["why"] = bytes_json(event.why);
                                      return out;
                                    },
                                    [](const event::TreeUsage& event) {
                                      Json out = headed("tell", "used");
                                      out["usage"] = event.usage ? json_of(*event.usage) : Json(nullptr);
                                      return out;
                                    },
                                    [](const event::InferredDenials& event) {
                                      Json out = headed("tell", "judged");
                                      out["denials"] = json_of(event.denials);
                                      return out;
                                    },
                                    [](const event::Description& event) {
                                      Json out = headed("tell", "described");
                                      out["kind"] = event.kind == SandboxKind::kRun ? "run" : "session";
                                      out["argv"] = words_json(event.argv);
                                      out["id"] = event.id;
                                      out["name"] = event.name;
                                      out["backend"] = event.backend;
                                      out["workspace"] = bytes_json(event.workspace);
                                      out["started_at"] = event.started_at;
                                      out["commands"] = event.commands;
                                      out["pid"] = event.pid;
                                      out["coverage"] = json_of(event.coverage);
                                      return out;
                                    },
                                    [](const event::PendingRequest& event) {
                                      Json out = headed("tell", "question");
                                      out["question"] = json_of(event.request);
                                      return out;
                                    },
                                    [](const event::RequestEnd& event) {
                                      Json out = headed("tell", "settled");
                                      out["question"] = event.request;
                                      if (event.decision) out["answer"] = word_of(*event.decision);
                                      return out;
                                    },
                                    [](const event::ConnectionEnd& event) {
                                      Json out = headed("tell", "connected");
                                      out["connection"] = json_of(event.connection);
                                      return out;
                                    },
                                    [](const event::Grants& event) {
                                      Json out = headed("tell", "grants");
                                      out["grants"] = json_of(event.grants);
                                      return out;
                                    },
                                    [](const event::Acknowledgement& event) {
                                      Json out = headed("tell", "taken");
                                      out["counted"] = event.counted;
                                      return out;
                                    }},
                         message));
}

Result<Event> parse_event(std::string_view text) {
  PF_TRY(json, read_json(text));
  Fields fields(json);
  static_cast<void>(fields.value("v"));
  const std::size_t word =
      fields.word("tell", {"started", "failed", "limits", "ended", "stopped", "denied", "breached", "gone", "used",
                           "judged", "described", "question", "settled", "connected", "grants", "taken"});
  Event out = event::CommandStop{};
  switch (word) {
    case 0: {
      event::CommandStart started;
      started.backend = fields.bytes("backend");
      started.has_terminal = fields.flag("terminal");
      out = std::move(started);
      break;
    }
    case 1: {
      event::Failure failed;
      failed.error = read_error(fields.value("error"), fields);
      failed.denials = read_denials(fields.list("denials", kMostLines), fields);
      out = std::move(failed);
      break;
    }
    case 2: out = event::Limits{read_limits(fields.list("limits", kMostLines), fields)}; break;
    case 3: {
      event::CommandEnd ended;
      ended.wait_status = static_cast<int>(fields.number("status", 0, 0xFFFF));
      ended.usage = read_usage(fields.value("usage"), fields);
      out = ended;
      break;
    }
    case 5: out = event::AccessDenial{read_denial(fields.value("denial"), fields)}; break;
    case 6: {
      event::Breach breached;
      breached.denial = read_denial(fields.value("denial"), fields);
      breached.note = fields.bytes("note");
      out = std::move(breached);
      break;
    }
    case 7: out = event::SandboxEnd{fields.bytes("why")}; break;
    case 8: out = event::TreeUsage{read_tree_usage(fields.value("usage"), fields)}; break;
    case 9: out = event::InferredDenials{read_denials(fields.list("denials", kMostLines), fields)}; break;
    case 10: {
      event::Description described;
      described.kind = fields.word("kind", {"session", "run"}) == 1 ? SandboxKind::kRun : SandboxKind::kSession;
      for (const Json& word_of_it : fields.list("argv", kMostWords))
        described.argv.push_back(bytes_of(word_of_it, fields));
      described.id = fields.bytes("id");
      described.name = fields.bytes("name");
      described.backend = fields.bytes("backend");
      described.workspace = fields.bytes("workspace");
      described.started_at = fields.number("started_at", 0, INT64_MAX);
      described.commands = fields.count("commands");
      described.pid = fields.count("pid");
      described.coverage = read_coverage(fields.list("coverage", kMostLines), fields);
      out = std::move(described);
      break;
    }
    case 11: out = event::PendingRequest{read_approval_request(fields.value("question"), fields)}; break;
    case 12: {
      event::RequestEnd settled;
      settled.request = fields.count("question");
      if (fields.has("answer")) settled.decision = read_decision(fields, "answer");
      out = settled;
      break;
    }
    case 13: out = event::ConnectionEnd{read_connection(fields.value("connection"), fields)}; break;
    case 14: out = event::Grants{read_grants(fields.list("grants", kMostLines), fields)}; break;
    case 15: out = event::Acknowledgement{fields.flag("counted")}; break;
    default: break;
  }
  PF_CHECK(check_understood(fields));
  return out;
}

}  // namespace pinfold::control
