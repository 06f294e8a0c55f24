// sha256.cc: SHA-256 (FIPS 180-4), for the builds that have no libsodium.
// Invariant: the results equal libsodium's, for any division of the input.
// Not here: secrets: it does not run in constant time or wipe memory, and no caller needs that.
#include <bit>
#include <cstring>

#include "sodium/crypto_hash_sha256.h"

namespace {

constexpr std::array<std::uint32_t, 64> kRound = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

constexpr std::array<std::uint32_t, 8> kStart = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                                 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

std::uint32_t word_at(const unsigned char* bytes) {
  return (std::uint32_t{bytes[0]} << 24) | (std::uint32_t{bytes[1]} << 16) | (std::uint32_t{bytes[2]} << 8) |
         std::uint32_t{bytes[3]};
}

void put_word(std::uint32_t word, unsigned char* out) {
  for (int i = 0; i < 4; ++i) out[i] = static_cast<unsigned char>(word >> (24 - 8 * i));
}

void take_block(std::array<std::uint32_t, 8>& state, const unsigned char* block) {
  std::array<std::uint32_t, 64> w{};
  for (std::size_t i = 0; i < 16; ++i) w[i] = word_at(block + 4 * i);
  for (std::size_t i = 16; i < 64; ++i) {
    const std::uint32_t small0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
    const std::uint32_t small1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
    w[i] = w[i - 16] + small0 + w[i - 7] + small1;
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::uint32_t big1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const std::uint32_t first = h + big1 + ((e & f) ^ (~e & g)) + kRound[i] + w[i];
    const std::uint32_t big0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const std::uint32_t second = big0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + first;
    d = c, c = b, b = a, a = first + second;
  }
  const std::array<std::uint32_t, 8> add = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) state[i] += add[i];
}

}  // namespace

int crypto_hash_sha256_init(crypto_hash_sha256_state* state) {
  *state = {kStart, 0, {}};
  return 0;
}

int crypto_hash_sha256_update(crypto_hash_sha256_state* state, const unsigned char* in, unsigned long long size) {
  while (size > 0) {
    const auto at = static_cast<std::size_t>(state->length % 64);
    const std::size_t part = size < 64 - at ? static_cast<std::size_t>(size) : 64 - at;
    std::memcpy(state->block.data() + at, in, part);
    state->length += part;
    in += part;
    size -= part;
    if (at + part == 64) take_block(state->state, state->block.data());
  }
  return 0;
}

int crypto_hash_sha256_final(crypto_hash_sha256_state* state, unsigned char* out) {
  const std::uint64_t bits = state->length * 8;
  const unsigned char one = 0x80, zero = 0;
  crypto_hash_sha256_update(state, &one, 1);
  while (state->length % 64 != 56) crypto_hash_sha256_update(state, &zero, 1);
  std::array<unsigned char, 8> length{};
  put_word(static_cast<std::uint32_t>(bits >> 32), length.data());
  put_word(static_cast<std::uint32_t>(bits), length.data() + 4);
  crypto_hash_sha256_update(state, length.data(), length.size());
  for (std::size_t i = 0; i < 8; ++i) put_word(state->state[i], out + 4 * i);
  return 0;
}

int crypto_hash_sha256(unsigned char* out, const unsigned char* in, unsigned long long size) {
  crypto_hash_sha256_state state;
  crypto_hash_sha256_init(&state);
  crypto_hash_sha256_update(&state, in, size);
  return crypto_hash_sha256_final(&state, out);
}
