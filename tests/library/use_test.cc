// use_test.cc: the library as it is meant to be used: streams, policies, roots, and every way to be told no.
// Invariant: only the installed headers; ends with "N passed, N failed".
// Not here: the process around it (host_test.cc), the C API (c_test.c).
#include <fcntl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <chrono>

#include <pinfold/advice.h>
#include <pinfold/redact.h>
#include <pinfold/scope.h>

#include "check.h"

namespace {

using namespace library_test;
using namespace std::chrono_literals;

// ---- streams ----

void streams() {
  expect("captured", run(shell("echo out; echo err >&2; exit 3")), "3:out\n:err\n");
  expect("without input there is none", run(shell("cat")), "0::");
  Command cat = shell("cat");
  cat.input = "bytes\0with nul";
  cat.input.push_back('\0');
  expect("input", run(cat), "0:" + cat.input + ":");
  expect("input cannot be changed",
         run([&] {
           Command c = cat;
           c.argv = {"sh", "-c", "echo x >&0; echo $?"};
           return c;
         }())
             .substr(0, 4),
         "0:1\n");

  cat.input.assign(12 << 20, 'x');
  expect("12 MB in and out at once", run(cat), "0:" + cat.input + ":");
  cat.argv = {"true"};
  expect("input without a reader", run(cat), "0::");

  Command flood = shell("head -c 100000000 /dev/zero; head -c 3000000 /dev/zero >&2");
  flood.capture_limit = 1 << 20;
  const auto began = std::chrono::steady_clock::now();
  auto ran = runner().run(policy(), flood);
  const auto took = std::chrono::steady_clock::now() - began;
  check("100 MB of output",
        ran && ran->out.size() == 1 << 20 && ran->err.size() == 1 << 20 && ran->truncated &&
            pinfold::exit_code(ran->report.outcome) == 0,
        result_text(ran).substr(0, 100));
  std::printf("100 MB dropped in %lld ms\n",
              static_cast<long long>(std::chrono::duration_cast<std::chrono::milliseconds>(took).count()));

  ran = runner().run(policy("output_limit = \"1M\""), shell("cat /dev/zero"));
  const auto* ended = ran ? std::get_if<pinfold::Signaled>(&ran->report.outcome) : nullptr;
  check("a limit on output ends it", ended != nullptr && ended->by == "limit.output" && ran->out.size() < 3 << 20);

  // Passed through: its output is on our own stream.
  std::fflush(stdout);
  const int kept = ::dup(1);
  char name[] = "/tmp/passed-XXXXXX";
  const int file = ::mkstemp(name);
  ::dup2(file, 1);
  Command pass = shell("echo through");
  pass.output = pinfold::Output::kPass;
  ran = runner().run(policy(), pass);
  ::dup2(kept, 1);
  ::close(kept);
  char text[64] = {};
  const ssize_t size = ::pread(file, text, sizeof text - 1, 0);
  ::close(file);
  ::unlink(name);
  expect("passed through", std::string(text, size > 0 ? static_cast<std::size_t>(size) : 0), "through\n");
  expect("and not captured", result_text(ran), "0::");
}

// ---- errors ----

void errors() {
  expect("no command", result_text(runner().run(policy(), Command{})), "error: there is no command to run");
  Command bad = shell("true");
  bad.argv.push_back(std::string("a\0b", 3));
  expect("a NUL", result_text(runner().run(policy(), bad)), "error: a word of the command contains a NUL byte");
  bad = shell("true");
  bad.working_dir = "relative";
  expect("a relative directory", result_text(runner().run(policy(), bad)),
         "error: the working directory is not absolute");
  auto caller = pinfold::find_caller();
  auto made = pinfold::policy_from_toml("read = [\"/no/such\"]", *caller);
  expect("a missing path", result_text(runner().run(*made, shell("true"))).substr(0, 6), "error:");
  made = pinfold::policy_from_toml("reed = 1\nprofile = \"strickt\"", *caller);
  check("every mistake at once",
        !made && made.error().text().find("policy:1:1") == 0 &&
            made.error().text().find("did you mean strict") != std::string::npos,
        made ? "a policy" : made.error().text());
  made = runner().load({.toml = "profile = \"danger-full-access\""});
  check("full access needs a token", !made);
  made =
      runner().load({.toml = "profile = \"danger-full-access\"", .full_access = pinfold::danger::FullAccess("test")});
  check("and is had with one", made.has_value(), made ? "" : made.error().text());

  // A project's file that asks for more than the user allows.
  FILE* file = std::fopen("pinfold.toml", "w");
  std::fputs("network = \"full\"\n", file);
  std::fclose(file);
  ::chmod("pinfold.toml", 0644);
  made = runner().load({.project_file = true});
  check("a project's file needs consent", !made && made.error().kind() == pinfold::ErrorKind::kRefused,
        made ? "a policy" : made.error().text());
  ::unlink("pinfold.toml");
  made = runner().load({.user_file = true, .project_file = true, .environment = true, .toml = "memory = \"1G\""});
  check("load", made && made->limits.memory && made->limits.memory->origin.source == pinfold::Source::kApi,
        made ? "" : made.error().text());

  // A stream that is closed, and would soon be something else.
  const int kept = ::dup(0);
  ::close(0);
  Command pass = shell("true");
  pass.output = pinfold::Output::kPass;
  const std::string closed = result_text(runner().run(policy(), pass));
  const std::string captured = run(shell("echo fine"));
  ::dup2(kept, 0);
  ::close(kept);
  expect("a closed stream", closed, "error: standard stream 0 is closed");
  expect("is no matter when captured", captured, "0:fine\n:");
}

// ---- several roots ----

void roots() {
  char base[] = "/tmp/roots-XXXXXX";
  const std::string top = ::mkdtemp(base);
  for (const char* name : {"/a", "/b", "/b/.git", "/c"}) ::mkdir((top + name).c_str(), 0755);
  const auto caller = pinfold::find_caller();
  pinfold::PolicyBuilder builder("moderate", *caller, kHere);
  builder.workspace(top + "/a", kHere);
  auto made = std::move(builder).build();
  auto scope = pinfold::Scope::open(*made);
  check("a scope", scope.has_value());
  const auto access = [&](const std::string& path) { return static_cast<int>(scope->decide(path)->access); };
  const std::vector<std::string> elsewhere = {top + "/a/x",  top + "/c/x", top, "/usr/bin",
                                              "/etc/shadow", "~/.ssh",     "/"};
  std::vector<int> before;
  for (const auto& path : elsewhere) before.push_back(access(path));
  check("outside at first", access(top + "/b/x") == static_cast<int>(pinfold::Access::kHide));
  check("a missing root is refused", !scope->add_workspace(top + "/missing"));
  check("a home is refused", !scope->add_workspace("/"));
  check("a root", scope->add_workspace(top + "/b").has_value());
  check("is open", access(top + "/b/x") == static_cast<int>(pinfold::Access::kWrite));
  check("and protected", access(top + "/b/.vscode") == static_cast<int>(pinfold::Access::kRead));
  std::vector<int> after;
  for (const auto& path : elsewhere) after.push_back(access(path));
  check("the rest is as tight", before == after);
  const std::string script = "cd " + top + "; echo 1 > a/new && echo 2 > b/new && ! echo 3 > c/new; ls";
  expect("the next run obeys", result_text(runner().run(scope->policy(), shell(script))).substr(0, 6), "0:a\nb\n");
  static_cast<void>(std::system(("rm -rf " + top).c_str()));
}

// On a terminal the command has one of its own, and ours is given back as it was.
void terminal() {
  termios before{};
  termios after{};
  check("a terminal", ::tcgetattr(0, &before) == 0);
  Command pass = shell("test -t 0 && test -t 1 && stty -echo && echo on a terminal");
  pass.output = pinfold::Output::kPass;
  expect("runs on a terminal", result_text(runner().run(policy(), pass)), "0::");
  // No process continues a command that stops itself, so Pinfold does.
  pass = shell("kill -STOP $$; exit 4");
  pass.output = pinfold::Output::kPass;
  expect("does not stop its host", result_text(runner().run(policy(), pass)), "4::");
  ::tcgetattr(0, &after);
  check("the terminal is as it was", before.c_lflag == after.c_lflag && before.c_iflag == after.c_iflag);
}

// ---- sessions ----

void sessions() {
  auto session = runner().start(policy("", "5s"));
  if (!session) return check("a session", false, session.error().text());
  check("its coverage is known", !session->coverage().empty());
  auto in = [&](const char* text) { return result_text(session->run(shell(text))); };
  expect("a command in a session", in("echo one > /tmp/kept; echo out; echo err >&2; exit 3"), "3:out\n:err\n");
  expect("its private files are there for the next", in("cat /tmp/kept"), "0:one\n:");
  expect("its background processes stay", in("sleep 1000 >/dev/null 2>&1 & echo $! > /tmp/left"), "0::");
  expect("and is there for the next", in("kill -0 $(cat /tmp/left) && echo lives"), "0:lives\n:");
  check("a program that is not there", in("exec /nonexistent/x").starts_with("127:"));
  check("a time-out is that command's", in("sleep 100").starts_with("124:"));
  expect("and nothing else's", in("kill -0 $(cat /tmp/left) && echo lives"), "0:lives\n:");
  auto ran = session->run(shell("mkdir .vscode"));
  check("denials are reported",
        ran && ran->report.denials.size() == 1 && ran->report.denials[0].resource.ends_with("/.vscode"),
        result_text(ran));
  auto other = runner().start(policy());
  check("another session is another sandbox",
        other && result_text(other->run(shell("cat /tmp/kept"))).starts_with("1:"), "reached");
}

}  // namespace

// The command tries what the policy does not allow, and waits for the host program's word.
struct RecordingDecider final : pinfold::Decider {
  pinfold::ApprovalDecision decide(const pinfold::DecisionRequest& question) override {
    const auto* access = std::get_if<pinfold::ApprovalRequest>(&question);
    if (access == nullptr) return pinfold::ApprovalDecision::kDeny;
    asked.push_back(access->operation + " " + access->resource);
    return answer;
  }
  pinfold::ApprovalDecision answer = pinfold::ApprovalDecision::kDeny;
  std::vector<std::string> asked;
};

void asking() {
  char base[] = "/srv/pinfold-asking-XXXXXX";
  if (::mkdtemp(base) == nullptr) return;
  const std::string top = base;
  static_cast<void>(std::system(("echo outside > " + top + "/file").c_str()));
  auto decider = std::make_shared<RecordingDecider>();
  auto own = pinfold::Runner::create();
  own->set_decider(decider);
  Command twice = shell("cat " + top + "/file; cat " + top + "/file");
  const auto answered = [&](pinfold::ApprovalDecision answer) {
    decider->asked.clear();
    decider->answer = answer;
    const auto ran = own->run(policy(), twice);
    return ran ? ran->out : ran.error().text();
  };
  expect("not asked unless wanted", answered(pinfold::ApprovalDecision::kOnce), "");
  check("the decider was not asked", decider->asked.empty());
  twice.ask = true;
  expect("no", answered(pinfold::ApprovalDecision::kDeny), "");
  check("a no is asked for once", decider->asked == std::vector<std::string>{"read " + top + "/file"});
  expect("once", answered(pinfold::ApprovalDecision::kOnce), "outside\noutside\n");
  check("each time", decider->asked.size() == 2);
  expect("session", answered(pinfold::ApprovalDecision::kSession), "outside\noutside\n");
  check("one time", decider->asked.size() == 1);
  static_cast<void>(std::system(("rm -rf " + top).c_str()));
}

void advice() {
  const auto advice = pinfold::advice_about("cd src && sudo rm -rf /");
  check("advice", advice && advice->verdict == pinfold::advice::AdviceVerdict::kDeny && !advice->findings.empty());
  check("the span of the finding", advice && advice->findings[0].begin >= 10 && advice->findings[0].end == 23);
  check("nothing to say", pinfold::advice_about("ls -l")->findings.empty());
}

void redaction() {
  const std::string text = "before; token: ghp_0123456789abcdefghijklmnopqrstuvwxyz and Zm9vYmFyMTIz after";
  std::string whole;
  for (const std::size_t piece : {text.size(), std::size_t{1}, std::size_t{7}}) {
    auto redactor = pinfold::Redactor::create();
    check("a value", redactor && redactor->add_value("MINE", "foobar123"));
    check("a short value is refused", !redactor->add_value("MINE", "abc"));
    std::string out;
    for (std::size_t at = 0; at < text.size(); at += piece) out += *redactor->feed(text.substr(at, piece));
    out += *redactor->finish();
    if (whole.empty()) whole = out;
    expect("pieces do not matter", out, whole);
    check("counted", redactor->counts()->at("MINE") == 1);
  }
  expect("taken out", whole, "before; token: [redacted: github-token] and [redacted: MINE] after");
  auto json = pinfold::Redactor::create(pinfold::RedactOnly::kSecrets, pinfold::RedactText::kJson);
  expect("JSON", *json->feed("{\"api_key\": \"a8Kd9sLq0Zx7Vb3Nm5\", \"mail\": \"a@mail.example\"}\n") + *json->finish(),
         "{\"api_key\": \"[redacted: secret]\", \"mail\": \"a@mail.example\"}\n");
}

int main(int argc, char**) {
  return argc > 1 ? finish({terminal}) : finish({streams, errors, roots, sessions, asking, advice, redaction});
}
