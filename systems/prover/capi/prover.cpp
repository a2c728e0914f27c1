// SPDX-License-Identifier: Apache-2.0
// Nothing may leave these functions but a code: exceptions end here.
#include "prover/capi/prover.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "prover/base/parallel.hpp"
#include "prover/files/json.hpp"
#include "prover/files/wtns.hpp"
#include "prover/files/zkey.hpp"
#include "prover/groth16/prove.hpp"

namespace prover {
namespace {

constexpr const char* kKey = "the key";
constexpr const char* kWitness = "the witness";

// A decimal number below 2^384 and its quotes, comma, newline and indentation.
constexpr unsigned long long kNumberBytes = 116 + 8;
constexpr unsigned long long kProofBytes = 12 * kNumberBytes + 256;

struct Object {
  std::optional<files::MappedFile> file;  // where the key is one of ours
  std::string path = kKey;
  files::Zkey key;
};

files::Bytes bytes(const void* data, unsigned long long size) {
  return {static_cast<const std::byte*>(data), static_cast<std::size_t>(size)};
}

struct ErrorText {
  char* to;
  unsigned long long size;

  int operator()(const std::string& text, int code = PROVER_ERROR) const {
    if (to == nullptr || size == 0) return code;
    const std::size_t length = std::min<std::size_t>(text.size(), size - 1);
    std::memcpy(to, text.data(), length);
    to[length] = '\0';
    return code;
  }
  int operator()(const Error& error, int code = PROVER_ERROR) const {
    return (*this)(error.to_text(), code);
  }
};

template <class Body>
int guarded(const ErrorText& error, const Body& body) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return error("out of memory");
  } catch (const std::exception& other) {
    return error(other.what());
  }
}

Result<Object> open(const void* data, unsigned long long size) {
  if (data == nullptr) return fail(ErrorKind::usage, "no bytes were given", kKey);
  auto key = files::Zkey::parse(bytes(data, size), kKey);
  if (!key) return fail(key.error());
  Object object;
  object.key = std::move(*key);
  return object;
}

Result<Object> open(const char* path) {
  if (path == nullptr) return fail(ErrorKind::usage, "no path was given", kKey);
  auto file = files::MappedFile::open(path);
  if (!file) return fail(file.error());
  auto key = files::Zkey::parse(file->bytes(), path);
  if (!key) return fail(key.error());
  Object object;
  object.path = path;
  object.file.emplace(std::move(*file));
  object.key = std::move(*key);
  return object;
}

unsigned long long publics_bytes(const files::Zkey& key) { return 8 + kNumberBytes * key.publics; }

struct Output {
  char* to;
  unsigned long long* size;

  bool usable() const { return to != nullptr && size != nullptr; }
  bool holds(const std::string& text) const { return text.size() <= *size; }
  void put(const std::string& text) const {
    std::memcpy(to, text.data(), text.size());
    if (text.size() < *size) to[text.size()] = '\0';
    *size = text.size();
  }
};

int prove(const Object& object, files::Bytes witness_bytes, const Output& proof,
          const Output& publics, const ErrorText& error) {
  if (!proof.usable() || !publics.usable() || witness_bytes.data() == nullptr)
    return error("a buffer or a size is null");
  const auto witness = files::Wtns::parse(witness_bytes, kWitness);
  if (!witness) return error(witness.error());
  // Before the work: sizes that hold every result.
  if (*proof.size == 0 || *publics.size == 0) {
    *proof.size = kProofBytes;
    *publics.size = publics_bytes(object.key);
    return error("a buffer is too short", PROVER_ERROR_SHORT_BUFFER);
  }
  const auto proven =
      groth16::prove(object.key, object.path, *witness, kWitness, {.threads = available_threads()});
  if (!proven)
    return error(proven.error(),
                 witness->count == object.key.wires ? PROVER_ERROR : PROVER_INVALID_WITNESS_LENGTH);
  const std::string proof_text = files::to_json(proven->proof),
                    publics_text = files::to_json(proven->publics);
  if (!proof.holds(proof_text) || !publics.holds(publics_text)) {
    *proof.size = std::max<unsigned long long>(kProofBytes, proof_text.size());
    *publics.size = std::max<unsigned long long>(publics_bytes(object.key), publics_text.size());
    return error("a buffer is too short", PROVER_ERROR_SHORT_BUFFER);
  }
  proof.put(proof_text);
  publics.put(publics_text);
  return PROVER_OK;
}

int create(void** prover_object, Result<Object> object, const ErrorText& error) {
  if (!object) return error(object.error());
  *prover_object = new Object(std::move(*object));
  return PROVER_OK;
}

int public_size(const Result<Object>& object, unsigned long long* size, const ErrorText& error) {
  if (!object) return error(object.error());
  if (size == nullptr) return error("the place for the size is null");
  *size = publics_bytes(object->key);
  return PROVER_OK;
}

}  // namespace
}  // namespace prover

using prover::ErrorText;
using prover::Object;

int groth16_prover_create(void** prover_object, const void* zkey_buffer,
                          unsigned long long zkey_size, char* error_msg,
                          unsigned long long error_msg_maxsize) {
  const ErrorText error{error_msg, error_msg_maxsize};
  return guarded(error, [&] {
    if (prover_object == nullptr) return error("the place for the prover is null");
    return prover::create(prover_object, prover::open(zkey_buffer, zkey_size), error);
  });
}

int groth16_prover_create_zkey_file(void** prover_object, const char* zkey_file_path,
                                    char* error_msg, unsigned long long error_msg_maxsize) {
  const ErrorText error{error_msg, error_msg_maxsize};
  return guarded(error, [&] {
    if (prover_object == nullptr) return error("the place for the prover is null");
    return prover::create(prover_object, prover::open(zkey_file_path), error);
  });
}

int groth16_prover_prove(void* prover_object, const void* wtns_buffer, unsigned long long wtns_size,
                         char* proof_buffer, unsigned long long* proof_size, char* public_buffer,
                         unsigned long long* public_size, char* error_msg,
                         unsigned long long error_msg_maxsize) {
  const ErrorText error{error_msg, error_msg_maxsize};
  return guarded(error, [&] {
    if (prover_object == nullptr) return error("the prover is null");
    return prover::prove(*static_cast<const Object*>(prover_object),
                         prover::bytes(wtns_buffer, wtns_size), {proof_buffer, proof_size},
                         {public_buffer, public_size}, error);
  });
}

void groth16_prover_destroy(void* prover_object) { delete static_cast<Object*>(prover_object); }

int groth16_prover(const void* zkey_buffer, unsigned long long zkey_size, const void* wtns_buffer,
                   unsigned long long wtns_size, char* proof_buffer, unsigned long long* proof_size,
                   char* public_buffer, unsigned long long* public_size, char* error_msg,
                   unsigned long long error_msg_maxsize) {
  const ErrorText error{error_msg, error_msg_maxsize};
  return guarded(error, [&] {
    const auto object = prover::open(zkey_buffer, zkey_size);
    if (!object) return error(object.error());
    return prover::prove(*object, prover::bytes(wtns_buffer, wtns_size), {proof_buffer, proof_size},
                         {public_buffer, public_size}, error);
  });
}

int groth16_prover_zkey_file(const char* zkey_file_path, const void* wtns_buffer,
                             unsigned long long wtns_size, char* proof_buffer,
                             unsigned long long* proof_size, char* public_buffer,
                             unsigned long long* public_size, char* error_msg,
                             unsigned long long error_msg_maxsize) {
  const ErrorText error{error_msg, error_msg_maxsize};
  return guarded(error, [&] {
    const auto object = prover::open(zkey_file_path);
    if (!object) return error(object.error());
    return prover::prove(*object, prover::bytes(wtns_buffer, wtns_size), {proof_buffer, proof_size},
                         {public_buffer, public_size}, error);
  });
}

void groth16_proof_size(unsigned long long* proof_size) {
  if (proof_size != nullptr) *proof_size = prover::kProofBytes;
}

int groth16_public_size_for_zkey_buf(const void* zkey_buffer, unsigned long long zkey_size,
                                     unsigned long long* public_size, char* error_msg,
                                     unsigned long long error_msg_maxsize) {
  const ErrorText error{error_msg, error_msg_maxsize};
  return guarded(error, [&] {
    return prover::public_size(prover::open(zkey_buffer, zkey_size), public_size, error);
  });
}

int groth16_public_size_for_zkey_file(const char* zkey_file_path, unsigned long long* public_size,
                                      char* error_msg, unsigned long long error_msg_maxsize) {
  const ErrorText error{error_msg, error_msg_maxsize};
  return guarded(
      error, [&] { return prover::public_size(prover::open(zkey_file_path), public_size, error); });
}
