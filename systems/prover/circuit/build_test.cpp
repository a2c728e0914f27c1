// SPDX-License-Identifier: Apache-2.0
#include "prover/circuit/build.hpp"

#include <gtest/gtest.h>

namespace prover::circuit {
namespace {

// A key belongs to the constraints of one version of a circuit: whoever changes these numbers
// makes every key that exists useless, and should know.
TEST(Build, SizesAreKnown) {
  const struct {
    Request request;
    std::uint32_t constraints, wires, publics, domain;
  } cases[] = {
      {{.kind = Kind::dense, .constraints = 1000}, 1000, 1002, 1, 1024},
      {{.kind = Kind::dense, .constraints = 65534}, 65534, 65536, 1, 1u << 16},
      {{.kind = Kind::dense, .constraints = 65535}, 65535, 65537, 1, 1u << 17},
      {{.kind = Kind::poseidon, .constraints = 65534}, 270 * 242, 65612, 1, 1u << 16},
      {{.kind = Kind::poseidon, .depth = 268}, 268 * 242, 65126, 1, 1u << 16},
      {{.kind = Kind::sha256, .bits = 512}, 54158, 53584, 256, 1u << 16},
      {{.kind = Kind::sha256, .bits = 3584}, 241069, 238623, 256, 1u << 18},
      {{.kind = Kind::porep}, 73055, 72482, 5, 1u << 17},
      {{.kind = Kind::porep, .depth = 4, .challenges = 2}, 131339, 130129, 6, 1u << 18},
  };
  for (const auto& one : cases)
    for (const CurveId curve : {CurveId::bn254, CurveId::bls12_381}) {
      Request request = one.request;
      request.curve = curve;
      const auto size = size_of(request);
      ASSERT_TRUE(size) << size.error().to_text();
      EXPECT_EQ(size->constraints, one.constraints) << kind_name(request.kind);
      EXPECT_EQ(size->wires, one.wires) << kind_name(request.kind);
      EXPECT_EQ(size->publics, one.publics) << kind_name(request.kind);
      EXPECT_EQ(size->domain(), one.domain) << kind_name(request.kind);
    }
}

TEST(Build, RefusesSizesThatAreNone) {
  const struct {
    Request request;
    const char* text;
  } cases[] = {
      {{.constraints = 0}, "--constraints: 0 is out of range\n  give a number from 1 to 67108864"},
      {{.kind = Kind::poseidon, .constraints = 241},
       "--constraints: 241 is out of range\n  give a number from 242 to 67108864"},
      {{.kind = Kind::poseidon, .depth = 0},
       "--depth: 0 is out of range\n  give a number from 1 to 277309"},
      {{.kind = Kind::sha256, .bits = 2000000},
       "--bits: 2000000 is out of range\n  give a number from 0 to 1048576"},
      {{.kind = Kind::porep, .depth = 21},
       "--depth: 21 is out of range\n  give a number from 1 to 20"},
      {{.kind = Kind::porep, .challenges = 0},
       "--challenges: 0 is out of range\n  give a number from 1 to 256"},
  };
  for (const auto& one : cases) {
    const auto size = size_of(one.request);
    ASSERT_FALSE(size) << one.text;
    EXPECT_EQ(size.error().to_text(), one.text);
    EXPECT_EQ(size.error().kind, ErrorKind::usage);
  }
}

}  // namespace
}  // namespace prover::circuit
