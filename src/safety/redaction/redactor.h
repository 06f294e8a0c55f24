// redactor.h: redacts secrets and personal data in a stream of text.
// Invariant: the result does not depend on how the text is split; memory is bounded; time is linear in the text. Not a
// security boundary: text without a matching rule stays. Not here: I/O; JSON (json_redactor.h); command lines
// (command_text.h).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "safety/redaction/exact.h"
#include "safety/redaction/rule.h"

namespace pinfold::redaction {

enum class Only : std::uint8_t { kEverything, kSecrets, kPersonal };

// The replacement texts: "[redacted: github-token]"; the second different one is "[redacted: github-token #2]", and
// so equal ones look equal.
class Tags {
 public:
  std::string tag(std::string_view name, std::uint64_t value);
  const std::map<std::string, std::uint64_t>& counts() const { return counts_; }

 private:
  static constexpr std::size_t kMost = 10000;  // the number of different values with a number of their own
  std::unordered_map<std::string, std::unordered_map<std::uint64_t, std::size_t>> seen_;
  std::map<std::string, std::uint64_t> counts_;
  std::size_t known_ = 0;
};

class Redactor {
 public:
  explicit Redactor(Only only) : only_(only) {}

  // Redacts this value everywhere, also in base64, hex, percent and JSON encodings, for every `Only`. False: it
  // is shorter than ExactValues::kShortest, and nothing was added.
  bool add_value(std::string_view name, std::string_view value) { return exact_.add(name, value); }

  // The output that is final so far: up to a few KiB behind the input.
  std::string feed(std::string_view chunk);
  std::string finish();  // the rest; the next feed() begins a new text

  // One text of its own; numbers of tags go on. Not between feed() and finish().
  std::string whole(std::string_view text);
  std::string tag(std::string_view name, std::string_view value);

  const std::map<std::string, std::uint64_t>& counts() const { return tags_.counts(); }
  // The number of rule calls; a rule reads a bounded number of bytes (rule.h), so this measures the work.
  std::uint64_t looks() const { return looks_; }
  Only only() const { return only_; }

 private:
  enum class Input { kMore, kLast };
  void scan(Input input, std::string& out);
  void look(std::size_t stop, std::string& out);
  void skip_word(std::size_t stop);
  bool take(const OptionalMatch& match, std::string& out);
  std::optional<ExactValues::Hit> gap_hit(std::size_t until) const;
  void take_exact(const ExactValues::Hit& hit, std::string& out);
  void swallow(std::size_t stop, std::string& out);
  void write_tag(std::string& out);
  void copy_to(std::size_t end, std::string& out);
  OptionalMatch find_at_word(std::size_t at) const;
  OptionalMatch find_at_sign(std::size_t at) const;
  OptionalMatch secret(OptionalMatch match) const;
  Spot spot(std::size_t at) const;

  Only only_;
  ExactValues exact_;
  Tags tags_;
  std::string text_;              // begins some bytes before the first unwritten byte
  std::size_t at_ = 0;            // the bytes before this offset are scanned
  std::size_t copied_ = 0;        // and the bytes before this are written
  std::size_t unsought_ = 0;      // given values that begin before this were found
  const Rule* eating_ = nullptr;  // the rule whose match continues
  Tail tail_ = Tail::kNone;
  std::size_t eaten_ = 0;
  std::uint64_t hash_ = 0;
  mutable std::uint64_t looks_ = 0;
};

}  // namespace pinfold::redaction
