// SPDX-License-Identifier: Apache-2.0
#include "prover/work/checksum.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "prover/base/text.hpp"

namespace prover::work {
namespace {

constexpr std::size_t kPart = std::size_t{1} << 20;

class Sha256 {
 public:
  Sha256() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    PROVER_CHECK(context_ && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1,
                 "libcrypto has SHA-256");
  }
  void add(files::Bytes bytes) {
    PROVER_CHECK(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1,
                 "a digest takes any bytes");
  }
  std::string hexadecimal() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    PROVER_CHECK(EVP_DigestFinal_ex(context_.get(), digest.data(), &size) == 1, "a digest ends");
    std::string text;
    for (unsigned i = 0; i < size; ++i) text += fmt::format("{:02x}", digest[i]);
    return text;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context_;
};

std::string lower(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'F') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

}  // namespace

Result<void> read_through(const files::MappedFile& file, const std::optional<std::string>& sha256,
                          const std::stop_token& stop, const TakePart& take) {
  std::optional<Sha256> hash;
  if (sha256) hash.emplace();
  std::vector<std::byte> copy;
  const files::Bytes all = file.bytes();
  for (std::size_t at = 0; at < all.size(); at += kPart) {
    if (stop.stop_requested()) return fail(ErrorKind::cancelled, "stopped");
    const files::Bytes part = all.subspan(at, std::min(kPart, all.size() - at));
    copy.assign(part.begin(), part.end());
    file.advise(part, files::Use::done);
    if (hash) hash->add(copy);
    take(at, copy);
  }
  if (!hash) return {};
  const std::string found = hash->hexadecimal();
  if (found == lower(*sha256)) return {};
  return fail(ErrorKind::usage,
              fmt::format("its SHA-256 is {}, not {} as pinned", found, lower(*sha256)),
              printable(file.path()),
              "it is another key or was changed: put the pinned one back, or pin this one when you "
              "know where it comes from");
}

}  // namespace prover::work
