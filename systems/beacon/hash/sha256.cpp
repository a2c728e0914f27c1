// SPDX-License-Identifier: Apache-2.0
// The functions on SHA256_CTX are called deprecated by OpenSSL 3, whose EVP interface costs several
// times a compression for each message. Trees are hashed in messages of 64 bytes.
#define OPENSSL_SUPPRESS_DEPRECATED
#include "beacon/hash/sha256.hpp"

#include <openssl/sha.h>

namespace beacon::hash {
namespace {

// What FIPS 180-4 pads a message of 64 bytes with: a block of its own.
constexpr Bytes<64> padding_of_64() {
  Bytes<64> block{};
  block[0] = 0x80;
  block[62] = 0x02;  // 512 bits
  return block;
}
constexpr Bytes<64> kPadding = padding_of_64();

std::uint32_t big_endian(std::uint32_t word) { return __builtin_bswap32(word); }

}  // namespace

Root sha256(View message) { return sha256({message}); }

Root sha256(std::initializer_list<View> pieces) {
  SHA256_CTX context;
  SHA256_Init(&context);
  for (const View piece : pieces) SHA256_Update(&context, piece.data(), piece.size());
  Root digest;
  SHA256_Final(digest.data(), &context);
  return digest;
}

void hash_pair(const Root& left, const Root& right, Root& out) {
  Bytes<64> block;
  std::memcpy(block.data(), left.data(), 32);
  std::memcpy(block.data() + 32, right.data(), 32);
  SHA256_CTX context;
  SHA256_Init(&context);
  SHA256_Transform(&context, block.data());
  SHA256_Transform(&context, kPadding.data());
  for (std::size_t i = 0; i < 8; ++i)
    store(std::span(out).subspan(4 * i), big_endian(context.h[i]));
}

}  // namespace beacon::hash
