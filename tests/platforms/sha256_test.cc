// sha256_test.cc: the stand-in for libsodium's hash gives the answers of coreutils, however the input is cut.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <random>
#include <string>

#include <sodium/crypto_hash_sha256.h>

namespace {

std::string hex(const unsigned char* bytes) {
  std::string out;
  for (std::size_t i = 0; i < crypto_hash_sha256_BYTES; ++i) {
    char two[3];
    std::snprintf(two, sizeof two, "%02x", bytes[i]);
    out += two;
  }
  return out;
}

std::string ours(const std::string& text, std::size_t piece) {
  crypto_hash_sha256_state state;
  crypto_hash_sha256_init(&state);
  for (std::size_t at = 0; at < text.size(); at += piece) {
    const std::string part = text.substr(at, piece);
    crypto_hash_sha256_update(&state, reinterpret_cast<const unsigned char*>(part.data()), part.size());
  }
  unsigned char out[crypto_hash_sha256_BYTES];
  crypto_hash_sha256_final(&state, out);
  return hex(out);
}

TEST(Sha256, KnownAnswers) {
  EXPECT_EQ(ours("", 1), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(ours("abc", 1), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(ours("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 7),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(ours(std::string(1'000'000, 'a'), 1009),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, AsCoreutils) {
  std::mt19937 random(20260101);
  const std::string path = testing::TempDir() + "pinfold-sha256";
  for (const std::size_t size :
       std::initializer_list<std::size_t>{1, 55, 56, 57, 63, 64, 65, 119, 120, 128, 1000, 4099}) {
    std::string text(size, '\0');
    for (char& c : text) c = static_cast<char>(random() & 0xffU);
    std::ofstream(path, std::ios::binary) << text;
    FILE* other = ::popen(("sha256sum < " + path).c_str(), "r");
    ASSERT_NE(other, nullptr);
    char answer[65] = {};
    EXPECT_EQ(std::fread(answer, 1, 64, other), 64U);
    ::pclose(other);
    for (const std::size_t piece : {std::size_t{1}, std::size_t{64}, std::size_t{63}, size})
      EXPECT_EQ(ours(text, piece), answer) << size;
    unsigned char whole[crypto_hash_sha256_BYTES];
    crypto_hash_sha256(whole, reinterpret_cast<const unsigned char*>(text.data()), text.size());
    EXPECT_EQ(hex(whole), answer);
  }
  std::remove(path.c_str());
}

}  // namespace
