// commands.h: one function per command; each returns the process's exit code.
// Not here: choosing between them (cli.cc).
#pragma once

#include "cli/cli.h"
#include "cli/parse.h"
#include "pinfold/plan.h"
#include "policy/scope.h"

namespace pinfold::cli {

// What went wrong before there was anything to report: a bad flag, a bad environment.
inline constexpr int kUsageError = 125;

int run_command(const Parsed& parsed, Context& context);
int learn_command(const Parsed& parsed, Context& context);
int session_start(const Parsed& parsed, Context& context);
int session_exec(const Parsed& parsed, Context& context);
int session_list(const Parsed& parsed, Context& context);
int session_stop(const Parsed& parsed, Context& context);
int web(const Parsed& parsed, Context& context);
int policy_show(const Parsed& parsed, Context& context);
int policy_why(const Parsed& parsed, Context& context);
int policy_check(const Parsed& parsed, Context& context);
int policy_trust(const Parsed& parsed, Context& context);
int grants_list(const Parsed& parsed, Context& context);
int grants_revoke(const Parsed& parsed, Context& context);
int grants_clear(const Parsed& parsed, Context& context);
int grants_why(const Parsed& parsed, Context& context);
int check(const Parsed& parsed, Context& context);
int files_read(const Parsed& parsed, Context& context);
int files_write(const Parsed& parsed, Context& context);
int files_edit(const Parsed& parsed, Context& context);
int files_list(const Parsed& parsed, Context& context);
int files_glob(const Parsed& parsed, Context& context);
int files_search(const Parsed& parsed, Context& context);
int init(const Parsed& parsed, Context& context);
int doctor(const Parsed& parsed, Context& context);
int log(const Parsed& parsed, Context& context);
int stats(const Parsed& parsed, Context& context);
int redact(const Parsed& parsed, Context& context);
int completions(const Parsed& parsed, Context& context);
int man_page(const Parsed& parsed, Context& context);
int plugin_list(const Parsed& parsed, Context& context);
int plugin_review(const Parsed& parsed, Context& context);  // show, review and allow
int plugin_decide(const Parsed& parsed, Context& context);  // deny and revoke
int plugin_import(const Parsed& parsed, Context& context);
int plugin_doctor(const Parsed& parsed, Context& context);
int plugin_tools(const Parsed& parsed, Context& context);
int plugin_call(const Parsed& parsed, Context& context);
int plugin_run(const Parsed& parsed, Context& context);

// Says what is wrong on stderr; the exit code that the error's kind means.
int complain(const Error& error, HostView& host);

// The backends to choose from: the one of this name ("auto": all), or an error that names those there are.
Result<std::vector<backend::Backend*>> find_candidates(const backend::Registry& registry, std::string_view name);

}  // namespace pinfold::cli
