// SPDX-License-Identifier: Apache-2.0
#include "prover/daemon/tokens.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <sstream>

#include "prover/base/text.hpp"
#include "prover/files/mapped_file.hpp"

namespace prover::daemon {
namespace {

constexpr std::size_t kShortest = 16;
constexpr std::uint64_t kMostFile = 1 << 20;

Result<std::string> read_secret(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) == 0 && (status.st_mode & 0077) != 0)
    return fail(ErrorKind::usage, "others can read these tokens", printable(path),
                fmt::format("chmod 600 {}", printable(path)));
  const auto file = files::MappedFile::open(path, kMostFile);
  if (!file) return fail(file.error());
  const files::Bytes bytes = file->bytes();
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

bool same(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  return difference == 0;
}

}  // namespace

Result<Tokens> Tokens::parse(std::string_view text, const std::string& path) {
  Tokens tokens;
  std::istringstream lines{std::string(text)};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::istringstream words(line.substr(0, line.find('#')));
    std::string name, token, more;
    if (!(words >> name)) continue;
    const std::string where = fmt::format("{}:{}", printable(path), number);
    if (!(words >> token) || words >> more)
      return fail(ErrorKind::usage, "a line is NAME TOKEN", where);
    if (token.size() < kShortest)
      return fail(
          ErrorKind::usage,
          fmt::format("the token of '{}' has fewer than {} characters", printable(name), kShortest),
          where, "make one: openssl rand -hex 32");
    tokens.tokens_.emplace_back(std::move(name), std::move(token));
  }
  if (tokens.tokens_.empty())
    return fail(ErrorKind::usage, "no tokens in it", printable(path),
                "a line is NAME TOKEN; openssl rand -hex 32 makes a token");
  return tokens;
}

Result<Tokens> Tokens::read(const std::string& path) {
  const auto text = read_secret(path);
  if (!text) return fail(text.error());
  return parse(*text, path);
}

std::optional<std::string> Tokens::name_of(std::string_view token) const {
  std::optional<std::string> found;
  for (const auto& [name, known] : tokens_)
    if (same(known, token)) found = name;
  return found;
}

Result<std::string> read_client_token(const std::string& path) {
  const auto text = read_secret(path);
  if (!text) return fail(text.error());
  std::istringstream lines(*text);
  std::vector<std::string> found;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string word, last;
    while (words >> word) last = word;
    if (!last.empty()) found.push_back(last);
  }
  if (found.size() == 1) return found.front();
  return fail(
      ErrorKind::usage,
      found.empty() ? std::string("no token in it") : fmt::format("{} tokens in it", found.size()),
      printable(path), "a client's file has one token, with a name before it or alone");
}

}  // namespace prover::daemon
