/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROVER_CAPI_C_CALLER_H
#define PROVER_CAPI_C_CALLER_H

#ifdef __cplusplus
extern "C" {
#endif

/* The usual way through the interface. *proof and *publics are to be freed, whatever the code. */
int prove_from_c(const char* key_path, const void* witness, unsigned long long witness_size,
                 char** proof, char** publics, char* error, unsigned long long error_size);

#ifdef __cplusplus
}
#endif

#endif
