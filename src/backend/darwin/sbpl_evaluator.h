// sbpl_evaluator.h: evaluates a profile, for tests. Written from descriptions of the language and independent of
// sbpl.cc: S-expressions, filters, and "the last matching rule decides".
// Invariant: an unknown word is an error. Not here: anything a program outside tests should include.
#pragma once

#include <regex.h>

#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace pinfold::backend::darwin {

struct Form {
  enum class Kind { kList, kString, kRegex, kWord };
  Kind kind = Kind::kList;
  std::string text{};
  std::vector<Form> items{};
  bool is_word(std::string_view word) const { return kind == Kind::kWord && text == word; }
};

class FormReader {
 public:
  static std::vector<Form> all(std::string_view text) {
    FormReader reader(text);
    std::vector<Form> out;
    for (reader.skip(); !reader.rest_.empty(); reader.skip()) out.push_back(reader.form());
    return out;
  }

 private:
  explicit FormReader(std::string_view text) : rest_(text) {}

  void skip() {
    for (;;) {
      while (!rest_.empty() && std::string_view(" \t\r\n").find(rest_[0]) != std::string_view::npos) take();
      if (rest_.empty() || rest_[0] != ';') return;
      while (!rest_.empty() && rest_[0] != '\n') take();
    }
  }
  char take() {
    if (rest_.empty()) throw std::runtime_error("the profile ends too early");
    const char c = rest_[0];
    rest_.remove_prefix(1);
    return c;
  }
  Form form() {
    if (rest_[0] == '(') {
      take();
      Form list;
      for (skip(); !rest_.empty() && rest_[0] != ')'; skip()) list.items.push_back(form());
      take();
      return list;
    }
    if (rest_[0] == ')') throw std::runtime_error("a bracket too many");
    if (rest_.starts_with("#\"")) {
      rest_.remove_prefix(2);
      Form regex{Form::Kind::kRegex};
      for (char c = take(); c != '"'; c = take()) regex.text += c;
      return regex;
    }
    if (rest_[0] == '"') {
      take();
      Form string{Form::Kind::kString};
      for (char c = take(); c != '"'; c = take()) {
        if (c != '\\') {
          string.text += c;
          continue;
        }
        const char escaped = take();
        if (escaped != '"' && escaped != '\\') throw std::runtime_error("an escape with a meaning of its own");
        string.text += escaped;
      }
      return string;
    }
    Form word{Form::Kind::kWord};
    while (!rest_.empty() && std::string_view(" \t\r\n()\";").find(rest_[0]) == std::string_view::npos)
      word.text += take();
    if (word.text.empty()) throw std::runtime_error("neither a list nor a word");
    return word;
  }

  std::string_view rest_;
};

// One operation and its object.
struct Operation {
  std::string operation;
  std::string path{};    // file operations, process-exec
  std::string name{};    // sysctl-read, mach-lookup, ipc
  std::string remote{};  // network: "localhost:8080", "93.184.216.34:443"
  std::string target{};  // signal, process-info: "same-sandbox", "others"
};

class Evaluator {
 public:
  Evaluator(std::string_view profile, std::map<std::string, std::string> parameters)
      : parameters_(std::move(parameters)) {
    for (Form& form : FormReader::all(profile)) {
      if (form.kind != Form::Kind::kList || form.items.empty()) throw std::runtime_error("not a rule");
      const Form& verb = form.items[0];
      if (verb.is_word("version")) continue;
      if (!verb.is_word("allow") && !verb.is_word("deny")) throw std::runtime_error("unknown verb " + verb.text);
      rules_.push_back(read_rule(form));
    }
  }

  bool allows(const Operation& tried) const {
    bool fallback = false;
    std::optional<bool> filtered;
    for (const Rule& rule : rules_) {
      if (!applies_to(rule, tried.operation)) continue;
      if (rule.filters.empty()) {
        fallback = rule.allow;
        continue;
      }
      if (matches_any(rule, tried)) filtered = rule.allow;
    }
    return filtered.value_or(fallback);  // a rule with a filter wins over one without
  }
  // By some descriptions a rule for the operation itself wins over one for a family of operations (file-read*), in any
  // order. A profile must give the same result under both readings.
  bool allows_by_most_specific_operation(const Operation& tried) const {
    std::size_t closest = 0;
    bool out = false;
    for (const Rule& rule : rules_)
      for (const std::string& word : rule.operations) {
        const std::size_t closeness = word == "default" ? 1 : word.ends_with('*') ? word.size() : 1000;
        if (closeness < closest || !covers_operation(word, tried.operation)) continue;
        if (!rule.filters.empty() && !matches_any(rule, tried)) continue;
        closest = closeness;
        out = rule.allow;
      }
    return out;
  }

 private:
  struct Rule {
    bool allow = false;
    std::vector<std::string> operations{};
    std::vector<Form> filters{};
  };

  bool matches_any(const Rule& rule, const Operation& tried) const {
    for (const Form& filter : rule.filters)
      if (matches(filter, tried)) return true;
    return false;
  }

  static Rule read_rule(const Form& form) {
    Rule rule;
    rule.allow = form.items[0].is_word("allow");
    for (std::size_t i = 1; i < form.items.size(); ++i) {
      const Form& item = form.items[i];
      if (item.kind == Form::Kind::kWord) {
        if (!rule.filters.empty()) throw std::runtime_error("an operation behind a filter: " + item.text);
        rule.operations.push_back(item.text);
      } else if (item.kind == Form::Kind::kList && !item.items.empty() && item.items[0].is_word("with")) {
        continue;  // logging only
      } else {
        rule.filters.push_back(item);
      }
    }
    if (rule.operations.empty()) throw std::runtime_error("a rule about nothing");
    return rule;
  }

  static bool covers_operation(std::string_view word, std::string_view operation) {
    if (word == "default" || word == operation) return true;
    return word.ends_with('*') && operation.starts_with(word.substr(0, word.size() - 1));
  }
  static bool applies_to(const Rule& rule, std::string_view operation) {
    for (const std::string& word : rule.operations)
      if (covers_operation(word, operation)) return true;
    return false;
  }

  const std::string& value(const Form& form) const {
    if (form.kind == Form::Kind::kString || form.kind == Form::Kind::kRegex) return form.text;
    if (form.kind == Form::Kind::kList && form.items.size() == 2 && form.items[0].is_word("param")) {
      const auto found = parameters_.find(form.items[1].text);
      if (found == parameters_.end()) throw std::runtime_error("no parameter " + form.items[1].text);
      return found->second;
    }
    throw std::runtime_error("not a string");
  }

  bool matches(const Form& filter, const Operation& tried) const {
    if (filter.kind != Form::Kind::kList || filter.items.empty()) throw std::runtime_error("not a filter");
    const std::string& kind = filter.items[0].text;
    if (kind == "require-all" || kind == "require-any") {
      const bool all = kind == "require-all";
      for (std::size_t i = 1; i < filter.items.size(); ++i)
        if (matches(filter.items[i], tried) != all) return !all;
      return all;
    }
    if (kind == "require-not") return !matches(filter.items.at(1), tried);
    if (kind == "extension") return false;  // no process has an extension here
    if (kind == "target") return tried.target == filter.items.at(1).text;
    if (kind == "local" || kind == "remote") return matches_socket(filter, tried);
    const std::string& wanted = value(filter.items.at(1));
    if (kind == "literal") return tried.path == wanted;
    if (kind == "subpath")
      return tried.path == wanted || wanted == "/" ||
             (tried.path.starts_with(wanted) && tried.path[wanted.size()] == '/');
    if (kind == "regex") return matches_regex(wanted, tried.path);
    if (kind == "sysctl-name" || kind == "global-name" || kind == "ipc-posix-name") return tried.name == wanted;
    if (kind == "sysctl-name-prefix") return tried.name.starts_with(wanted);
    throw std::runtime_error("unknown filter " + kind);
  }

  static bool matches_socket(const Form& filter, const Operation& tried) {
    if (filter.items.at(1).is_word("unix-socket"))
      return filter.items.size() == 3 && !tried.path.empty() && tried.path == filter.items[2].items.at(1).text;
    if (!filter.items[1].is_word("ip")) throw std::runtime_error("unknown socket");
    if (tried.remote.empty()) return false;
    return filter.items.size() == 2 || tried.remote == filter.items[2].text;
  }

  bool matches_regex(const std::string& expression, const std::string& text) const {
    auto& compiled = compiled_[expression];
    if (!compiled) {
      compiled = std::shared_ptr<regex_t>(new regex_t, [](regex_t* each) {
        ::regfree(each);
        delete each;
      });
      if (::regcomp(compiled.get(), expression.c_str(), REG_EXTENDED | REG_NOSUB) != 0)
        throw std::runtime_error("not a regular expression: " + expression);
    }
    return ::regexec(compiled.get(), text.c_str(), 0, nullptr, 0) == 0;
  }

  mutable std::map<std::string, std::shared_ptr<regex_t>> compiled_;
  std::map<std::string, std::string> parameters_;
  std::vector<Rule> rules_;
};

}  // namespace pinfold::backend::darwin
