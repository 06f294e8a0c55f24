// crypto_hash_sha256.h: replaces libsodium's header of that name in builds without libsodium: the same names and
// results (tests/platforms/sha256_test.cc). Not here: anything else of libsodium.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

// NOLINTBEGIN(readability-identifier-naming): the names are libsodium's
inline constexpr std::size_t crypto_hash_sha256_BYTES = 32;

struct crypto_hash_sha256_state {
  std::array<std::uint32_t, 8> state;
  std::uint64_t length;  // bytes so far
  std::array<unsigned char, 64> block;
};

int crypto_hash_sha256_init(crypto_hash_sha256_state* state);
int crypto_hash_sha256_update(crypto_hash_sha256_state* state, const unsigned char* in, unsigned long long size);
int crypto_hash_sha256_final(crypto_hash_sha256_state* state, unsigned char* out);
int crypto_hash_sha256(unsigned char* out, const unsigned char* in, unsigned long long size);
// NOLINTEND(readability-identifier-naming)
