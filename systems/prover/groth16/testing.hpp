// SPDX-License-Identifier: Apache-2.0
// For tests: folders of files, small circuits and their keys.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "prover/curve/groups.hpp"
#include "prover/files/r1cs.hpp"
#include "prover/files/wtns.hpp"
#include "prover/files/zkey.hpp"
#include "prover/groth16/setup.hpp"

namespace prover::groth16 {

// A fresh folder, removed at the end.
class Folder {
 public:
  Folder() {
    std::string name = std::filesystem::temp_directory_path() / "groth16-test-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder for the test");
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

template <class Fr>
struct Term {
  std::uint32_t wire;
  Fr value;
};

template <class Fr>
std::vector<files::R1csTerm> to_file(const std::vector<Term<Fr>>& terms,
                                     std::vector<typename Fr::Plain>& values) {
  std::vector<files::R1csTerm> result;
  values.resize(terms.size());
  for (std::size_t i = 0; i < terms.size(); ++i) {
    values[i] = terms[i].value.plain();
    result.push_back({terms[i].wire, std::as_bytes(std::span(values[i])).data()});
  }
  return result;
}

// x_0 = start; x_{i+1} = x_i^2 + x_i + 1; then every second wire a bit with b (b - 1) = 0, so that
// all kinds of scalars are there. Public: the last x as output, x_0 as input. Writes circuit.r1cs,
// witness.wtns and the key of seed 1, circuit.zkey.
template <class C>
class Circuit {
 public:
  using Fr = typename C::Fr;

  Circuit(const Folder& folder, std::uint32_t steps, std::uint64_t start = 5)
      : r1cs(folder / "circuit.r1cs"),
        wtns(folder / "witness.wtns"),
        zkey(folder / "circuit.zkey") {
    write(steps, Fr::from_word(start).inverse());
    const auto file = files::R1csFile::open(r1cs);
    if (!file) throw std::runtime_error(file.error().to_text());
    const auto done = setup(file->circuit(), r1cs, zkey, {.threads = 2, .seed = 1, .progress = {}});
    if (!done) throw std::runtime_error(done.error().to_text());
  }

  // The witness' values; changed ones can be written by write_values.
  std::vector<Fr> values;
  void write_values() const {
    std::vector<typename Fr::Plain> plain;
    for (const Fr& value : values) plain.push_back(value.plain());
    const auto done = files::write_wtns(wtns, C::kId, std::as_bytes(std::span(plain)));
    if (!done) throw std::runtime_error(done.error().to_text());
  }

  const std::string r1cs, wtns, zkey;

 private:
  using Terms = std::vector<Term<Fr>>;

  void write(std::uint32_t steps, Fr x) {
    auto writer = files::R1csWriter::create(r1cs, C::kId);
    if (!writer) throw std::runtime_error(writer.error().to_text());
    const auto constraint = [&](const Terms& a, const Terms& b, const Terms& c) {
      std::vector<typename Fr::Plain> va, vb, vc;
      const auto ta = to_file(a, va), tb = to_file(b, vb), tc = to_file(c, vc);
      const auto done = writer->constraint(ta, tb, tc);
      if (!done) throw std::runtime_error(done.error().to_text());
    };
    const Fr one = Fr::one();
    // wires: 1, output, input, then x_1 .. x_{steps-1} and bits in turn
    values = {one, Fr::zero(), x};
    std::uint32_t current = 2;
    for (std::uint32_t i = 0; i < steps; ++i) {
      const Fr next = x.squared() + x + one;
      const bool last = i + 1 == steps;
      const auto wire = last ? 1u : static_cast<std::uint32_t>(values.size());
      if (last)
        values[1] = next;
      else
        values.push_back(next);
      constraint({{current, one}}, {{current, one}}, {{wire, one}, {current, -one}, {0, -one}});
      current = wire;
      x = next;
      const auto bit = static_cast<std::uint32_t>(values.size());
      values.push_back(i % 3 == 0 ? one : Fr::zero());
      constraint({{bit, one}}, {{bit, one}, {0, -one}}, {});
    }
    const auto wires = static_cast<std::uint32_t>(values.size());
    const auto done = writer->finish({wires, 1, 1, 0, 0});
    if (!done) throw std::runtime_error(done.error().to_text());
    write_values();
  }
};

}  // namespace prover::groth16
