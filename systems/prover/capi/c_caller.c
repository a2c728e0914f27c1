/* SPDX-License-Identifier: Apache-2.0
 * A caller in C, as those of rapidsnark are. */
#include "c_caller.h"

#include <stdlib.h>

#include "prover.h"

int prove_from_c(const char* key_path, const void* witness, unsigned long long witness_size,
                 char** proof, char** publics, char* error, unsigned long long error_size) {
  unsigned long long proof_size = 0, public_size = 0;
  void* prover = NULL;
  int code = groth16_public_size_for_zkey_file(key_path, &public_size, error, error_size);
  if (code != PROVER_OK) return code;
  groth16_proof_size(&proof_size);
  code = groth16_prover_create_zkey_file(&prover, key_path, error, error_size);
  if (code != PROVER_OK) return code;
  *proof = calloc(1, proof_size + 1);
  *publics = calloc(1, public_size + 1);
  code = groth16_prover_prove(prover, witness, witness_size, *proof, &proof_size, *publics,
                              &public_size, error, error_size);
  groth16_prover_destroy(prover);
  return code;
}
