// SPDX-License-Identifier: Apache-2.0
#include "base/digest.hpp"

#include <openssl/evp.h>

#include <cerrno>
#include <cstdio>
#include <vector>

#include "base/check.hpp"

namespace assay {

struct Sha256::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { EVP_MD_CTX_free(context); }
  void start() {
    ASSAY_CHECK(EVP_DigestInit_ex(context, EVP_sha256(), nullptr) == 1, "libcrypto has SHA-256");
  }
};

Sha256::Sha256() : state_(std::make_unique<State>()) { state_->start(); }
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::update(std::string_view bytes) {
  EVP_DigestUpdate(state_->context, bytes.data(), bytes.size());
}

std::string Sha256::finish() {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  EVP_DigestFinal_ex(state_->context, digest, &size);
  state_->start();
  static constexpr char kHex[] = "0123456789abcdef";
  std::string text;
  for (unsigned i = 0; i < size; ++i) {
    text += kHex[digest[i] >> 4];
    text += kHex[digest[i] & 15];
  }
  return text;
}

std::string sha256(std::string_view bytes) {
  Sha256 digest;
  digest.update(bytes);
  return digest.finish();
}

Result<std::string> sha256_of_file(const std::string& path) {
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) return fail(system_error("cannot read", errno, path));
  Sha256 digest;
  std::vector<char> buffer(1 << 16);
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), file.get()))
    digest.update({buffer.data(), got});
  if (std::ferror(file.get())) return fail(system_error("cannot read", errno, path));
  return digest.finish();
}

}  // namespace assay
