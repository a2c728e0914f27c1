// SPDX-License-Identifier: Apache-2.0
#include "prover/circuit/synthesis_templates.hpp"

PROVER_INSTANTIATE_SYNTHESIS(field::Bls12_381Fr)
