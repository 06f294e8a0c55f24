// idna_test.cc: labels beyond ASCII, and refused labels.
#include "base/idna.h"

#include <gtest/gtest.h>

#include "base/property.h"

namespace pinfold::idna {
namespace {

std::string ascii(std::string_view label) {
  const auto made = to_ascii(label);
  return made ? *made : "refused: " + made.error().text();
}

TEST(Idna, LettersBecomeTheirAsciiForm) {
  EXPECT_EQ(ascii("bücher"), "xn--bcher-kva");
  EXPECT_EQ(ascii("BÜCHER"), "xn--bcher-kva");
  EXPECT_EQ(ascii("münchen"), "xn--mnchen-3ya");
  EXPECT_EQ(ascii("пример"), "xn--e1afmkfd");
  EXPECT_EQ(ascii("ПРИМЕР"), "xn--e1afmkfd");
  EXPECT_EQ(ascii("παράδειγμα"), "xn--hxajbheg2az3al");
  EXPECT_EQ(ascii("例え"), "xn--r8jz45g");
  EXPECT_EQ(ascii("실례"), "xn--9n2bp8q");
  EXPECT_EQ(ascii("ليهمابتكلموشعربي؟").substr(0, 7), "refused");
}

TEST(Idna, ALetterAndItsMarkAreOneCharacter) {
  EXPECT_EQ(ascii("bu\xCC\x88"
                  "cher"),
            "xn--bcher-kva");
  EXPECT_EQ(ascii("Vie\xCC\xA3\xCC\x82t"), ascii("việt"));
  // Marks in another order, or after a letter that they do not compose with, have more than one form.
  EXPECT_EQ(ascii("Vie\xCC\x82\xCC\xA3t").substr(0, 7), "refused");
  EXPECT_EQ(ascii("q\xCC\x88").substr(0, 7), "refused");
  EXPECT_EQ(ascii("\xCC\x88"
                  "a")
                .substr(0, 7),
            "refused");
}

TEST(Idna, RefusesNamesThatProgramsReadDifferently) {
  for (const char* label : {"straße",
                            "ſ",
                            "ς",
                            "İ",
                            "ŉ",
                            "ĳ",
                            "l·l",
                            "ａ",
                            "a\xE2\x80\x8D",
                            "a\xC2\xAD",
                            "①",
                            "²",
                            "\xE2\x80\xAE",
                            "\xEF\xBC\x8E",
                            "。",
                            "\xFF",
                            "\xC3",
                            "é_",
                            "é b",
                            "☃",
                            "שלום",
                            "æ×"})
    EXPECT_EQ(ascii(label).substr(0, 7), "refused") << label;
}

TEST(Idna, RefusesInvalidPunycode) {
  for (const char* label : {"xn--bcher-kva", "xn--e1afmkfd", "xn--r8jz45g", "xn--ls8h"})
    EXPECT_TRUE(check_ascii(label));
  for (const char* label : {"xn--", "xn---", "xn--abc-", "xn--a", "xn--99999999", "xn--bcher-kv_", "xn--bcher-KVA",
                            "xn--zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz"})
    EXPECT_FALSE(check_ascii(label)) << label;
}

TEST(IdnaProperty, PunycodeReadsBack) {
  EXPECT_EQ(holds("from_punycode(punycode(x)) is x", 2000,
                  [] {
                    std::u32string label;
                    for (int i = *rc::gen::inRange(1, 12); i > 0; --i) {
                      auto code = static_cast<char32_t>(
                          *rc::gen::oneOf(rc::gen::inRange(0x61, 0x7B), rc::gen::inRange(0xE0, 0x600),
                                          rc::gen::inRange(0x3000, 0x11000), rc::gen::inRange(0x11000, 0x110000)));
                      if (code >= 0xD800 && code <= 0xDFFF) code = U'é';
                      label += code;
                    }
                    const std::string text = punycode(label);
                    if (text.size() > 63) return;
                    const auto again = from_punycode(text);
                    // Without a letter beyond ASCII the text ends in "-", which is not written.
                    RC_ASSERT((again.has_value() && *again == label));
                  }),
            "");
}

TEST(IdnaProperty, AnyTextHasOneReadingOrIsRefused) {
  EXPECT_EQ(holds("what from_punycode() takes is what punycode() gives", 5000,
                  [] {
                    std::string text;
                    for (int i = *rc::gen::inRange(0, 16); i > 0; --i)
                      text += *rc::gen::elementOf(std::string("abkxz09-"));
                    const auto points = from_punycode(text);
                    if (points) RC_ASSERT(punycode(*points) == text);
                  }),
            "");
}

}  // namespace
}  // namespace pinfold::idna
