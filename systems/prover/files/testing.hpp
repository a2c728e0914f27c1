// SPDX-License-Identifier: Apache-2.0
// For the tests of this folder. The corpus (also the fuzz targets' seeds) was made with circom
// 2.2.3 and snarkjs 0.7.6, for both curves, from
//
//   template M() { signal input a; signal input b; signal output c; signal output d; signal t;
//     t <== a*b + 3; c <== t*a; d <== t*t - 7*b; }
//   component main {public [a]} = M();    // a = 5, b = 11
//
// Keys have one contribution, *_uncontributed has none.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "prover/base/result.hpp"
#include "prover/files/mapped_file.hpp"
#include "prover/files/sections.hpp"

namespace prover::files {

inline std::string corpus(const std::string& name) {
  return std::string(PROVER_CORPUS) + "/" + name;
}

inline std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline void write_text(const std::string& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

// Bytes of a file that tests change.
class Edit {
 public:
  Edit() = default;
  explicit Edit(std::string text) : text_(std::move(text)) {}
  static Edit of(const std::string& corpus_name) { return Edit(read_text(corpus(corpus_name))); }

  Edit& u32(std::size_t at, std::uint32_t value) { return put(at, &value, sizeof value); }
  Edit& u64(std::size_t at, std::uint64_t value) { return put(at, &value, sizeof value); }
  Edit& fill(std::size_t at, std::size_t size, char byte) {
    text_.replace(at, size, size, byte);
    return *this;
  }
  Edit& add_u32(std::uint32_t value) { return add(&value, sizeof value); }
  Edit& add_u64(std::uint64_t value) { return add(&value, sizeof value); }
  Edit& add_text(std::string_view text) { return add(text.data(), text.size()); }
  // A section at the end, counted in the header.
  Edit& add_section(std::uint32_t id, std::string_view bytes) {
    u32(8, load_u32(this->bytes().data() + 8) + 1);
    return add_u32(id).add_u64(bytes.size()).add_text(bytes);
  }

  std::string& text() { return text_; }
  const std::string& text() const { return text_; }
  Bytes bytes() const { return std::as_bytes(std::span(text_.data(), text_.size())); }

 private:
  Edit& put(std::size_t at, const void* from, std::size_t size) {
    EXPECT_LE(at + size, text_.size());
    std::memcpy(text_.data() + at, from, size);
    return *this;
  }
  Edit& add(const void* from, std::size_t size) {
    text_.append(static_cast<const char*>(from), size);
    return *this;
  }

  std::string text_;
};

inline Edit empty_container(std::string_view magic, std::uint32_t version) {
  Edit edit;
  edit.add_text(magic).add_u32(version).add_u32(0);
  return edit;
}

// The same sections in the opposite order; without that with id `without`.
inline Edit rearranged(const Edit& file, const SectionTable& table, std::uint32_t without = 0) {
  Edit edit(std::string(reinterpret_cast<const char*>(file.bytes().data()), 8));
  edit.add_u32(0);
  for (auto it = table.all().rbegin(); it != table.all().rend(); ++it)
    if (it->id != without)
      edit.add_section(it->id, {reinterpret_cast<const char*>(it->bytes.data()), it->bytes.size()});
  return edit;
}

// "where: what", or "fine".
template <class T>
std::string said(const Result<T>& result) {
  return result ? "fine" : result.error().where + ": " + result.error().what;
}

class Folder {
 public:
  Folder() {
    std::string name = ::testing::TempDir() + "prover_files_XXXXXX";
    path_ = ::mkdtemp(name.data());
  }
  Folder(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }

  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  std::size_t size() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::string path_;
};

inline bool same(Bytes a, Bytes b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
}

}  // namespace prover::files
