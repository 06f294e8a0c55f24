// powershell_reader.cc: words, quotes, escapes, pipes and brackets of PowerShell and cmd.
// Invariant: see the header; brackets and braces only separate commands. Not here: expressions: their calls are found
// in the whole text.
#include "safety/advice/powershell_reader.h"

#include <algorithm>

#include "safety/advice/ascii.h"

namespace pinfold::advice {

namespace {

constexpr std::size_t kMostWindowsCommands = 1024;

class Reader {
 public:
  explicit Reader(std::string_view text) : in_(text) {}

  Script run() {
    while (at_ < in_.size()) {
      if (out_.commands.size() >= kMostWindowsCommands) {
        out_.complete = false;
        break;
      }
      step();
    }
    end_command();
    Simple whole;
    whole.end = static_cast<std::uint32_t>(in_.size());
    whole.words.push_back(word_of(std::string(kWholeText), 0, in_.size()));
    whole.words.push_back(word_of(std::move(plain_), 0, in_.size()));
    out_.commands.push_back(std::move(whole));
    return std::move(out_);
  }

 private:
  static Word word_of(std::string text, std::size_t begin, std::size_t end) {
    Word out;
    out.text = std::move(text);
    out.begin = static_cast<std::uint32_t>(begin);
    out.end = static_cast<std::uint32_t>(end);
    return out;
  }

  void step() {
    const char c = in_[at_];
    if (c == ' ' || c == '\t' || c == '\r') {
      plain_ += ' ';
      ++at_;
    } else if (c == '#' && (at_ == 0 || in_[at_ - 1] == ' ' || in_[at_ - 1] == '\n')) {
      while (at_ < in_.size() && in_[at_] != '\n') ++at_;
    } else if (c == '|' && at_ + 1 < in_.size() && in_[at_ + 1] != '|') {
      end_command();
      feed_ = {out_.commands.empty() ? 0 : out_.commands.size() - 1, out_.commands.size()};
      keep();
    } else if (c == ';' || c == '\n' || c == '|' || c == '(' || c == ')' || c == '{' || c == '}' || c == ',') {
      if (c != ',') end_command();
      keep();
    } else if (c == '&') {
      // The call operator at the start of a command; in cmd it separates two commands.
      end_command();
      keep();
    } else {
      word();
    }
  }

  void keep() { plain_ += in_[at_++]; }

  void word() {
    const std::size_t start = at_;
    std::string text;
    while (at_ < in_.size()) {
      const char c = in_[at_];
      if (c == '\'' || c == '"') {
        quoted(text, c);
      } else if ((c == '`' || c == '^') && at_ + 1 < in_.size()) {
        text += in_[at_ + 1];
        at_ += 2;
      } else if (std::string_view(" \t\r\n|;&(){},").find(c) != std::string_view::npos && !is_guid(c, text)) {
        break;
      } else {
        text += c;
        ++at_;
      }
    }
    plain_ += text;
    command_.words.push_back(word_of(std::move(text), start, at_));
  }

  // bcdedit /set {default}: a name in braces, not a block.
  bool is_guid(char c, const std::string& text) const {
    return c == '{' && text.empty() ? false : c == '}' && text.starts_with('{');
  }

  void quoted(std::string& text, char quote) {
    ++at_;
    while (at_ < in_.size()) {
      if (in_[at_] == quote) {
        if (at_ + 1 >= in_.size() || in_[at_ + 1] != quote) break;
        ++at_;
      } else if (in_[at_] == '`' && quote == '"' && at_ + 1 < in_.size()) {
        ++at_;
      }
      text += in_[at_++];
    }
    at_ = std::min(at_ + 1, in_.size());
  }

  void end_command() {
    if (command_.words.empty()) return;
    command_.begin = command_.words.front().begin;
    command_.end = command_.words.back().end;
    command_.fed_by = feed_;
    feed_ = {};
    out_.commands.push_back(std::move(command_));
    command_ = {};
  }

  std::string_view in_;
  std::size_t at_ = 0;
  Script out_;
  Simple command_;
  Range feed_;
  std::string plain_;
};

}  // namespace

Script read_powershell(std::string_view text) { return Reader(text).run(); }

bool looks_like_windows(std::string_view text) {
  for (const std::string_view sign :
       {":\\",     "$env:",     "powershell", "pwsh",        ".exe",        "%systemroot%",  "%userprofile%",
        "%temp%",  "%appdata%", "%comspec%",  "hklm",        "hkcu",        "net.webclient", "invoke-",
        "-object", "set-item",  "get-item",   "remove-item", "new-item",    "-content ",     "::",
        "\\\\",    "[ref]",     "[system.",   "[convert]",   "[reflection", "-pssession"})
    if (has_any_case(text, sign)) return true;
  // i`e`x, p^owershell: letters kept apart to hide a name.
  for (std::size_t i = 1; i + 1 < text.size(); ++i)
    if ((text[i] == '^' || (text[i] == '`' && i + 2 < text.size() && text[i + 2] == '`')) && is_letter(text[i - 1]) &&
        is_letter(text[i + 1]))
      return true;
  // Verb-Noun, and programs of Windows, as the first word of a command.
  std::size_t at = 0;
  while (at < text.size()) {
    at = std::min(text.find_first_not_of(" \t\r\n|;&({=", at), text.size());
    const std::size_t end = std::min(text.find_first_of(" \t\r\n|;&(){", at), text.size());
    const std::string first = lower(text.substr(at, std::min<std::size_t>(end - at, 40)));
    const auto dash = first.find('-');
    if (dash != std::string::npos &&
        listed("get set add remove new start stop invoke clear disable enable register import export out test restart "
               "copy move "
               "rename write read format select where sort convertto convertfrom uninstall install update unblock send "
               "resolve "
               "mount dismount initialize reset enter compress expand wait debug suspend resume unregister publish",
               std::string_view(first).substr(0, dash)) &&
        dash + 1 < first.size() && is_letter(first[dash + 1]) && text.size() > at && (is_letter(text[at])) &&
        first != "start-stop-daemon" && first != "update-rc.d" && !first.starts_with("update-") &&
        !first.starts_with("install-"))
      return true;
    if (listed(
            "iex iwr irm findstr reg schtasks vssadmin wevtutil bcdedit certutil bitsadmin mshta regsvr32 rundll32 "
            "wmic "
            "netsh cmd cmstp "
            "msiexec wbadmin diskpart cipher takeown icacls attrib sc fsutil forfiles installutil ntdsutil procdump "
            "taskkill "
            "tasklist ipconfig net rd del format auditpol wsl cscript wscript runas setx robocopy xcopy cmdkey "
            "nltest dsquery "
            "esentutl makecab extrac32 msbuild regasm regsvcs odbcconf pcalua psexec gpupdate systeminfo logman "
            "fltmc bcdboot "
            "winrm winrs manage-bde vaultcmd klist setspn erase saps gci sp gpscript xwizard atbroker extexport diantz "
            "certoc certreq ie4uinit runonce wab msdt mmc psr pktmon pnputil finger rpcping regini wsreset "
            "runscripthelper offlinescannershell conhost eventvwr fodhelper sdclt tttracer verclsid wuauclt",
            first))
      return true;
    const std::size_t next = text.find_first_of("|;&\n({=", end);
    if (next == std::string_view::npos) return false;
    at = next + 1;
  }
  return false;
}

}  // namespace pinfold::advice
