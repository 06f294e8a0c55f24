// man_page.cc: `pinfold man-page`: the manual page, made from the tables of commands, flags and keys.
// Invariant: plain ASCII; every command, flag and variable of the tables is in it; groff prints no warning.
// Not here: the tables (flags.h, policy/keys.h), installing it.
#include "cli/man_page.h"

#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

#include "base/utf8.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/process_io.h"
#include "policy/keys.h"

namespace pinfold::cli {

namespace {

using std::string_view;

// Text escaped for roff.
std::string plain(string_view text) {
  std::string out;
  bool line_start = true;
  for (std::size_t at = 0; at < text.size();) {
    const auto [point, length] = decode_utf8(text, at);
    if (line_start && (point == '.' || point == '\'')) out += "\\&";
    if (point == '\\')
      out += "\\e";
    else if (point == '-')
      out += "\\-";
    else if (point == '\'')
      out += "\\(aq";
    else if (point == '`')
      out += "\\(ga";
    else if (point == '^')
      out += "\\(ha";
    else if (point == '~')
      out += "\\(ti";
    else if (point < 0x80)
      out += static_cast<char>(point);
    else
      out += fmt::format("\\[u{:04X}]", static_cast<std::uint32_t>(point));
    line_start = point == '\n';
    at += std::max<std::size_t>(length, 1);
  }
  return out;
}

std::string bold(string_view text) { return "\\fB" + plain(text) + "\\fR"; }
std::string italic(string_view text) { return "\\fI" + plain(text) + "\\fR"; }

std::string names_of(Commands commands) {
  if (commands == kAllCommands) return "every command";
  std::string out;
  for (const CommandInfo& one : kCommands)
    if ((commands & in(one.command)) != 0) out += (out.empty() ? "" : ", ") + std::string(one.name);
  return out;
}

std::string flag_entry(const Flag& flag) {
  std::string names = bold(flag.name);
  for (const string_view alias : flag.aliases)
    if (!alias.empty()) names += ", " + bold(alias);
  if (takes_value(flag)) names += " " + italic(flag.argument);
  std::string out = ".TP\n" + names + "\n" + plain(flag.help) + ".";
  if (flag.repeat == Repeat::kMany && takes_value(flag)) out += " May be given several times.";
  for (const FlagHelp& one : kFlagHelp)
    if (one.id == flag.id) out += " With " + plain(names_of(one.commands)) + ": " + plain(one.help) + ".";
  return out + "\n" + (flag.commands == kWithPolicy ? "" : "(" + plain(names_of(flag.commands)) + ")\n");
}

std::string synopsis() {
  std::string out = ".SH SYNOPSIS\n.nf\n";
  for (const CommandInfo& one : kCommands) {
    // A second usage is on a line of its own, as help prints it: "\n  pinfold …".
    constexpr string_view kAgain = "\n  pinfold ";
    for (string_view rest = one.usage; !rest.empty();) {
      const std::size_t end = std::min(rest.find(kAgain), rest.size());
      out += bold("pinfold") + " " + plain(rest.substr(0, end)) + "\n";
      rest.remove_prefix(std::min(end + kAgain.size(), rest.size()));
    }
  }
  return out + ".fi\n";
}

std::string commands() {
  std::string out = ".SH COMMANDS\n";
  for (const CommandInfo& one : kCommands)
    out += ".TP\n" + bold(fmt::format("pinfold {}", one.name)) + "\n" + plain(one.summary) + ".\n";
  return out;
}

std::string options() {
  std::string out =
      ".SH OPTIONS\nFlags come before the command to run. A flag without a list of commands belongs to run, shell, "
      "learn, session start, policy show, policy why and the files commands.\n";
  const Flag* previous = nullptr;
  for (const Flag& flag : kFlags) {
    if (previous == nullptr || previous->group != flag.group) out += ".SS " + plain(title(flag.group)) + "\n";
    previous = &flag;
    out += flag_entry(flag);
  }
  return out;
}

std::string example_lines() {
  std::string out = ".SH EXAMPLES\n";
  for (const Example& one : examples())
    if (!one.description.empty()) out += ".TP\n" + bold(one.line) + "\n" + plain(one.description) + "\n";
  return out;
}

std::string environment() {
  std::string out =
      ".SH ENVIRONMENT\nVariables override policy files; flags override variables. Lists of paths are separated by "
      "colons, "
      "other lists by commas.\n";
  for (const policy::KeyInfo& key : policy::kKeys)
    if (!key.variable.empty()) out += ".TP\n" + bold(key.variable) + "\n" + plain(key.help) + ".\n";
  out += ".TP\n" + bold("NO_COLOR") + "\nno colour, also on a terminal.\n";
  return out;
}

constexpr string_view kRest =
    ".SH FILES\n"
    ".TP\n\\fI\\(ti/.config/pinfold/config.toml\\fR\nyour own policy; below $XDG_CONFIG_HOME if that is set.\n"
    ".TP\n\\fI\\(ti/.config/pinfold/trust.json\\fR\nthe project files that you trust.\n"
    ".TP\n\\fI\\(ti/.local/state/pinfold/journal.jsonl\\fR\nthe journal: runs and their denials; below $XDG_STATE_HOME "
    "if "
    "that is set.\n"
    ".TP\n\\fIpinfold.toml\\fR\nthe project\\(aqs policy: the nearest, from the working directory upwards.\n"
    ".SH EXIT STATUS\n"
    "The command\\(aqs own, or:\n"
    ".TP\n124\nthe time limit ended it.\n"
    ".TP\n125\nPinfold failed, or cannot enforce a required step.\n"
    ".TP\n126\nrefused by policy.\n"
    ".TP\n127\nthe sandbox shows no such command.\n"
    ".TP\n128+n\nsignal n ended it.\n"
    ".SH SEE ALSO\n"
    ".BR bwrap (1),\n.BR landlock (7),\n.BR namespaces (7),\n.BR seccomp (2)\n";

}  // namespace

std::string man_page_text() {
  std::string name = version();
  name.pop_back();
  std::string out = fmt::format(".TH PINFOLD 1 \"\" \"{}\" \"User Commands\"\n", plain(name));
  out +=
      ".SH NAME\npinfold \\- runs a command you do not trust, confined to the files, network and programs you allow\n";
  out += synopsis();
  out +=
      ".SH DESCRIPTION\nPinfold runs a command that sees only the files, network, programs and variables that were "
      "allowed. The kernel enforces this: namespaces, Landlock and seccomp. Afterwards Pinfold lists each denial "
      "with its rule and the flag that would allow it.\n";
  return out + commands() + options() + example_lines() + environment() + std::string(kRest);
}

int man_page(const CommandLine& parsed, Context& context) {
  if (!parsed.words.empty())
    return complain(Error(ErrorKind::kInvalid, "man-page takes no arguments", "pinfold man-page > pinfold.1"),
                    context.host);
  print(STDOUT_FILENO, man_page_text());
  return 0;
}

}  // namespace pinfold::cli
