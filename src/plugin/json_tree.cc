// json_tree.cc: nlohmann's SAX parser reports values; a counting iterator gives their offsets.
// Invariant: a token begins at the end of the previous one, after blanks, commas and colons.
// Not here: the meaning of the keys (manifest.cc, approvals_text.cc).
#include "plugin/json_tree.h"

#include <cstddef>
#include <iterator>
#include <set>

#include <nlohmann/json.hpp>

#include "base/text.h"

namespace pinfold::plugin {
namespace {

using policy::List;
using policy::Member;
using policy::Node;
using policy::Other;
using policy::SourceLocation;
using policy::Table;

constexpr std::size_t kDeepest = 16;
constexpr std::size_t kMostNodes = 100'000;

// An input iterator that counts the bytes it has passed.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, std::size_t* read) : at_(at), read_(read) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    ++at_;
    ++*read_;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  std::size_t* read_;
};

class Builder final : public nlohmann::json_sax<nlohmann::json> {
 public:
  Builder(std::string_view text, const std::size_t& read) : text_(text), read_(read) {}

  bool null() override { return value({Other{"null"}, token()}); }
  bool boolean(bool flag) override { return value({flag, token()}); }
  bool number_integer(number_integer_t number) override { return value({number, token()}); }
  bool number_unsigned(number_unsigned_t number) override {
    if (number > INT64_MAX) return value({Other{"a number that is too large"}, token()});
    return value({static_cast<std::int64_t>(number), token()});
  }
  bool number_float(number_float_t, const string_t&) override {
    return value({Other{"a number with a fraction"}, token()});
  }
  bool string(string_t& text) override { return value({std::move(text), token()}); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open({Table{}, token()}); }
  bool start_array(std::size_t) override { return open({List{}, token()}); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    Frame& frame = open_.back();
    frame.key_location = token();
    frame.key = std::move(name);
    if (!frame.seen.insert(frame.key).second)
      mistakes_.push_back({frame.key_location, "\"" + text::shown(frame.key) + "\" is set twice", "keep one of them"});
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& error) override {
    std::string what = error.what();
    if (const std::size_t at = what.find(" - "); at != std::string::npos) what = what.substr(at + 3);
    mistakes_.push_back({location_of(position == 0 ? 0 : position - 1), "this is not JSON: " + text::shown(what),
                         "check quotes, commas and brackets"});
    return false;
  }

  policy::ParsedText finish(bool whole) && {
    policy::ParsedText out;
    if (whole && std::holds_alternative<Table>(root_.value))
      out.root = std::move(std::get<Table>(root_.value));
    else if (whole)
      mistakes_.push_back(
          {root_.location, "this is " + std::string(kind_of(root_)) + ", not an object", "begin with {"});
    out.mistakes = std::move(mistakes_);
    return out;
  }

 private:
  struct Frame {
    Node node;
    std::string key{};
    SourceLocation key_location{};
    std::set<std::string> seen{};
  };

  // The start of the token that was just read.
  SourceLocation token() {
    std::size_t at = end_;
    while (at < text_.size() && std::string_view(" \t\r\n,:").find(text_[at]) != std::string_view::npos) ++at;
    end_ = read_;
    return location_of(at);
  }
  // Offsets only grow, except for a final syntax error, so each byte is visited once.
  SourceLocation location_of(std::size_t offset) {
    if (offset < counted_) counted_ = 0, line_ = column_ = 1;
    for (; counted_ < std::min(offset, text_.size()); ++counted_) {
      if (text_[counted_] == '\n')
        ++line_, column_ = 1;
      else if ((static_cast<unsigned char>(text_[counted_]) & 0xC0U) != 0x80U)
        ++column_;
    }
    return {line_, column_};
  }
  bool too_much(const SourceLocation& location) {
    if (++nodes_ <= kMostNodes) return false;
    mistakes_.push_back({location, "there is too much in this text", "nothing that is meant to be read is so long"});
    return true;
  }
  bool value(Node node) {
    if (too_much(node.location)) return false;
    if (open_.empty())
      root_ = std::move(node);
    else if (Frame& frame = open_.back(); auto* list = std::get_if<List>(&frame.node.value))
      list->push_back(std::move(node));
    else
      std::get<Table>(frame.node.value).push_back({std::move(frame.key), frame.key_location, std::move(node)});
    return true;
  }
  bool open(Node node) {
    if (open_.size() >= kDeepest) {
      mistakes_.push_back({node.location, "this is nested too deeply", "nothing here goes deeper than a few levels"});
      return false;
    }
    open_.push_back({std::move(node)});
    return true;
  }
  bool close() {
    end_ = read_;
    Node node = std::move(open_.back().node);
    open_.pop_back();
    return value(std::move(node));
  }

  std::string_view text_;
  const std::size_t& read_;
  std::size_t end_ = 0;
  std::size_t counted_ = 0;
  std::uint32_t line_ = 1;
  std::uint32_t column_ = 1;
  std::size_t nodes_ = 0;
  std::vector<Frame> open_;
  Node root_{Other{"nothing"}, {}};
  std::vector<policy::Mistake> mistakes_;
};

}  // namespace

std::string_view kind_of(const Node& node) {
  struct Name {
    std::string_view operator()(const std::string&) const { return "a string"; }
    std::string_view operator()(bool) const { return "true or false"; }
    std::string_view operator()(std::int64_t) const { return "a number"; }
    std::string_view operator()(const List&) const { return "a list"; }
    std::string_view operator()(const Table&) const { return "an object"; }
    std::string_view operator()(const Other& other) const { return other.kind; }
  };
  return std::visit(Name{}, node.value);
}

policy::ParsedText read_json(std::string_view text) {
  std::size_t read = 0;
  Builder builder(text, read);
  const bool whole = nlohmann::json::sax_parse(CountingIterator(text.data(), &read),
                                               CountingIterator(text.data() + text.size(), &read), &builder);
  return std::move(builder).finish(whole);
}

}  // namespace pinfold::plugin
