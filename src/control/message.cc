// message.cc: every message, to JSON and back.
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

Json run_json(const ask::Run& run) {
  Json out = headed("ask", "run");
  out["argv"] = words_json(run.launch.argv);
  if (!run.launch.working_dir.empty()) {
    out["directory"] = bytes_json(run.launch.working_dir);
    out["if_shown"] = run.directory == ask::Directory::kIfShown;
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
  if (text.find('\0') != std::string::npos) fields.refuse("a NUL byte where none can be");
}

ask::Run read_run(Fields& fields) {
  ask::Run run;
  for (const Json& word : fields.list("argv", kMostWords)) {
    run.launch.argv.push_back(bytes_of(word, fields));
    no_zero(run.launch.argv.back(), fields);
  }
  if (run.launch.argv.empty() || run.launch.argv[0].empty()) fields.refuse("there is no command");
  if (fields.has("directory")) {
    run.launch.working_dir = fields.bytes("directory");
    no_zero(run.launch.working_dir, fields);
    if (!run.launch.working_dir.starts_with("/")) fields.refuse("the directory is not absolute");
    run.directory = fields.flag("if_shown") ? ask::Directory::kIfShown : ask::Directory::kWanted;
  }
  for (const Json& each : fields.list("variables", kMostWords)) {
    if (!each.is_array() || each.size() != 2) {
      fields.refuse("a variable is no pair");
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
  if (json.is_discarded() || !json.is_object()) return fail(ErrorKind::kInvalid, "a message is no JSON object");
  if (!json.contains("v") || json["v"] != kVersion)
    return fail(ErrorKind::kInvalid,
                "the other side speaks another version of the control protocol (" +
                    (json.contains("v") ? json["v"].dump().substr(0, 20) : std::string("none")) + ", ours is " +
                    std::to_string(kVersion) + ")",
                "use the same pinfold for the session and its commands");
  return json;
}

Result<void> understood(Fields& fields) {
  auto finished = fields.finish();
  if (!finished) return tl::unexpected<Error>(std::move(finished).error().within("a message is not understood"));
  return finished;
}

}  // namespace

std::string to_text(const Asked& message) {
  return dump(std::visit(Overloaded{[](const ask::Run& run) { return run_json(run); },
                                    [](const ask::Signal& signal) {
                                      Json out = headed("ask", "signal");
                                      out["number"] = signal.number;
                                      return out;
                                    },
                                    [](const ask::Terminate&) { return headed("ask", "terminate"); },
                                    [](const ask::Kill&) { return headed("ask", "kill"); },
                                    [](const ask::Usage&) { return headed("ask", "usage"); },
                                    [](const ask::Judge& judge) {
                                      Json out = headed("ask", "judge");
                                      out["complaints"] = words_json(judge.complaints);
                                      return out;
                                    },
                                    [](const ask::Drain&) { return headed("ask", "drain"); },
                                    [](const ask::Describe&) { return headed("ask", "describe"); },
                                    [](const ask::Stop&) { return headed("ask", "stop"); },
                                    [](const ask::Watch&) { return headed("ask", "watch"); },
                                    [](const ask::Answer& answer) {
                                      Json out = headed("ask", "answer");
                                      out["question"] = answer.question;
                                      out["answer"] = word_of(answer.answer);
                                      return out;
                                    },
                                    [](const ask::Revoke& revoke) {
                                      Json out = headed("ask", "revoke");
                                      out["grant"] = revoke.grant;
                                      return out;
                                    }},
                         message));
}

Result<Asked> parse_asked(std::string_view text) {
  PF_TRY(json, read_json(text), "");
  Fields fields(json);
  static_cast<void>(fields.value("v"));
  const std::size_t word = fields.word("ask", {"run", "signal", "terminate", "kill", "usage", "judge", "describe",
                                               "drain", "stop", "watch", "answer", "revoke"});
  Asked asked = ask::Stop{};
  switch (word) {
    case 0: asked = read_run(fields); break;
    case 1: asked = ask::Signal{static_cast<int>(fields.number("number", 1, 64))}; break;
    case 2: asked = ask::Terminate{}; break;
    case 3: asked = ask::Kill{}; break;
    case 4: asked = ask::Usage{}; break;
    case 5: {
      ask::Judge judge;
      for (const Json& line : fields.list("complaints", kMostLines)) judge.complaints.push_back(bytes_of(line, fields));
      asked = std::move(judge);
      break;
    }
    case 6: asked = ask::Describe{}; break;
    case 7: asked = ask::Drain{}; break;
    case 9: asked = ask::Watch{}; break;
    case 10: {
      ask::Answer answer;
      answer.question = fields.count("question");
      answer.answer = read_answer(fields, "answer");
      asked = answer;
      break;
    }
    case 11: asked = ask::Revoke{fields.count("grant")}; break;
    default: break;
  }
  PF_CHECK(understood(fields), "");
  return asked;
}

std::string to_text(const Told& message) {
  return dump(std::visit(Overloaded{[](const tell::Started& told) {
                                      Json out = headed("tell", "started");
                                      out["backend"] = told.backend;
                                      out["terminal"] = told.has_terminal;
                                      return out;
                                    },
                                    [](const tell::Failed& told) {
                                      Json out = headed("tell", "failed");
                                      out["error"] = json_of(told.error);
                                      out["denials"] = json_of(told.denials);
                                      return out;
                                    },
                                    [](const tell::Limits& told) {
                                      Json out = headed("tell", "limits");
                                      out["limits"] = json_of(told.limits);
                                      return out;
                                    },
                                    [](const tell::Ended& told) {
                                      Json out = headed("tell", "ended");
                                      out["status"] = told.wait_status;
                                      out["usage"] = json_of(told.usage);
                                      return out;
                                    },
                                    [](const tell::Stopped&) { return headed("tell", "stopped"); },
                                    [](const tell::Denied& told) {
                                      Json out = headed("tell", "denied");
                                      out["denial"] = json_of(told.denial);
                                      return out;
                                    },
                                    [](const tell::Breached& told) {
                                      Json out = headed("tell", "breached");
                                      out["denial"] = json_of(told.denial);
                                      out["note"] = bytes_json(told.note);
                                      return out;
                                    },
                                    [](const tell::Gone& told) {
                                      Json out = headed("tell", "gone");
                                      out["why"] = bytes_json(told.why);
                                      return out;
                                    },
                                    [](const tell::Used& told) {
                                      Json out = headed("tell", "used");
                                      out["usage"] = told.usage ? json_of(*told.usage) : Json(nullptr);
                                      return out;
                                    },
                                    [](const tell::Judged& told) {
                                      Json out = headed("tell", "judged");
                                      out["denials"] = json_of(told.denials);
                                      return out;
                                    },
                                    [](const tell::Described& told) {
                                      Json out = headed("tell", "described");
                                      out["kind"] = told.kind == SandboxKind::kRun ? "run" : "session";
                                      out["argv"] = words_json(told.argv);
                                      out["id"] = told.id;
                                      out["name"] = told.name;
                                      out["backend"] = told.backend;
                                      out["workspace"] = bytes_json(told.workspace);
                                      out["started_at"] = told.started_at;
                                      out["commands"] = told.commands;
                                      out["pid"] = told.pid;
                                      out["coverage"] = json_of(told.coverage);
                                      return out;
                                    },
                                    [](const tell::Question& told) {
                                      Json out = headed("tell", "question");
                                      out["question"] = json_of(told.question);
                                      return out;
                                    },
                                    [](const tell::Settled& told) {
                                      Json out = headed("tell", "settled");
                                      out["question"] = told.question;
                                      if (told.answer) out["answer"] = word_of(*told.answer);
                                      return out;
                                    },
                                    [](const tell::Connected& told) {
                                      Json out = headed("tell", "connected");
                                      out["connection"] = json_of(told.connection);
                                      return out;
                                    },
                                    [](const tell::Grants& told) {
                                      Json out = headed("tell", "grants");
                                      out["grants"] = json_of(told.grants);
                                      return out;
                                    },
                                    [](const tell::Taken& told) {
                                      Json out = headed("tell", "taken");
                                      out["counted"] = told.counted;
                                      return out;
                                    }},
                         message));
}

Result<Told> parse_told(std::string_view text) {
  PF_TRY(json, read_json(text), "");
  Fields fields(json);
  static_cast<void>(fields.value("v"));
  const std::size_t word =
      fields.word("tell", {"started", "failed", "limits", "ended", "stopped", "denied", "breached", "gone", "used",
                           "judged", "described", "question", "settled", "connected", "grants", "taken"});
  Told told = tell::Stopped{};
  switch (word) {
    case 0: {
      tell::Started started;
      started.backend = fields.bytes("backend");
      started.has_terminal = fields.flag("terminal");
      told = std::move(started);
      break;
    }
    case 1: {
      tell::Failed failed;
      failed.error = read_error(fields.value("error"), fields);
      failed.denials = read_denials(fields.list("denials", kMostLines), fields);
      told = std::move(failed);
      break;
    }
    case 2: told = tell::Limits{read_limits(fields.list("limits", kMostLines), fields)}; break;
    case 3: {
      tell::Ended ended;
      ended.wait_status = static_cast<int>(fields.number("status", 0, 0xFFFF));
      ended.usage = read_usage(fields.value("usage"), fields);
      told = ended;
      break;
    }
    case 5: told = tell::Denied{read_denial(fields.value("denial"), fields)}; break;
    case 6: {
      tell::Breached breached;
      breached.denial = read_denial(fields.value("denial"), fields);
      breached.note = fields.bytes("note");
      told = std::move(breached);
      break;
    }
    case 7: told = tell::Gone{fields.bytes("why")}; break;
    case 8: told = tell::Used{read_tree_usage(fields.value("usage"), fields)}; break;
    case 9: told = tell::Judged{read_denials(fields.list("denials", kMostLines), fields)}; break;
    case 10: {
      tell::Described described;
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
      told = std::move(described);
      break;
    }
    case 11: told = tell::Question{read_question(fields.value("question"), fields)}; break;
    case 12: {
      tell::Settled settled;
      settled.question = fields.count("question");
      if (fields.has("answer")) settled.answer = read_answer(fields, "answer");
      told = settled;
      break;
    }
    case 13: told = tell::Connected{read_connection(fields.value("connection"), fields)}; break;
    case 14: told = tell::Grants{read_grants(fields.list("grants", kMostLines), fields)}; break;
    case 15: told = tell::Taken{fields.flag("counted")}; break;
    default: break;
  }
  PF_CHECK(understood(fields), "");
  return told;
}

}  // namespace pinfold::control
