// commands.h: one function per command; each returns the process's exit code.
// Not here: choosing between them (cli.cc).
#pragma once

#include "cli/cli.h"
#include "cli/parse.h"
#include "pinfold/plan.h"
#include "policy/scope.h"

namespace pinfold::cli {

// The exit code for an error before there is a report: a bad flag, a bad environment.
inline constexpr int kUsageError = 125;

int run_command(const CommandLine& parsed, Context& context);
int learn_command(const CommandLine& parsed, Context& context);
int session_start(const CommandLine& parsed, Context& context);
int session_exec(const CommandLine& parsed, Context& context);
int session_list(const CommandLine& parsed, Context& context);
int session_stop(const CommandLine& parsed, Context& context);
int web(const CommandLine& parsed, Context& context);
int policy_show(const CommandLine& parsed, Context& context);
int policy_why(const CommandLine& parsed, Context& context);
int policy_check(const CommandLine& parsed, Context& context);
int policy_trust(const CommandLine& parsed, Context& context);
int grants_list(const CommandLine& parsed, Context& context);
int grants_revoke(const CommandLine& parsed, Context& context);
int grants_clear(const CommandLine& parsed, Context& context);
int grants_why(const CommandLine& parsed, Context& context);
int check(const CommandLine& parsed, Context& context);
int files_read(const CommandLine& parsed, Context& context);
int files_write(const CommandLine& parsed, Context& context);
int files_edit(const CommandLine& parsed, Context& context);
int files_list(const CommandLine& parsed, Context& context);
int files_glob(const CommandLine& parsed, Context& context);
int files_search(const CommandLine& parsed, Context& context);
int init(const CommandLine& parsed, Context& context);
int doctor(const CommandLine& parsed, Context& context);
int log(const CommandLine& parsed, Context& context);
int stats(const CommandLine& parsed, Context& context);
int redact(const CommandLine& parsed, Context& context);
int completions(const CommandLine& parsed, Context& context);
int man_page(const CommandLine& parsed, Context& context);
int plugin_list(const CommandLine& parsed, Context& context);
int plugin_review(const CommandLine& parsed, Context& context);  // show, review and allow
int plugin_decide(const CommandLine& parsed, Context& context);  // deny and revoke
int plugin_import(const CommandLine& parsed, Context& context);
int plugin_doctor(const CommandLine& parsed, Context& context);
int plugin_tools(const CommandLine& parsed, Context& context);
int plugin_call(const CommandLine& parsed, Context& context);
int plugin_run(const CommandLine& parsed, Context& context);

// Prints the error on stderr and returns the exit code of its kind.
int complain(const Error& error, HostView& host);

// The backends to choose from: the one of this name ("auto": all), or an error that lists their names.
Result<std::vector<backend::Backend*>> find_candidates(const backend::Registry& registry, std::string_view name);

}  // namespace pinfold::cli
