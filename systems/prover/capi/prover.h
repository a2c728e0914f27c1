/* SPDX-License-Identifier: Apache-2.0
 * The prover behind rapidsnark's C interface, so that its callers can switch: the same names,
 * arguments and codes; link -lprover for -lrapidsnark. Keys are .zkey files of snarkjs on BN254 and
 * BLS12-381, witnesses .wtns files; results are proof.json and public.json as text.
 *
 * Every function may be called from several threads at once, with one prover object too (but
 * destroy last). A proof is handed out only when it verifies. `error_msg` (may be null) gets what
 * is wrong and the way out, cut to `error_msg_maxsize` bytes with a 0 at the end.
 */
#ifndef PROVER_CAPI_PROVER_H
#define PROVER_CAPI_PROVER_H

#ifdef __cplusplus
extern "C" {
#endif

#define PROVER_OK 0x0
#define PROVER_ERROR 0x1
/* A result does not fit its buffer: the sizes that would do are in *proof_size and *public_size. */
#define PROVER_ERROR_SHORT_BUFFER 0x2
/* The witness has not as many values as the key has wires. */
#define PROVER_INVALID_WITNESS_LENGTH 0x3

/* A new prover for a key in memory, which stays the caller's and must not change or go before
 * groth16_prover_destroy. */
int groth16_prover_create(void** prover_object, const void* zkey_buffer,
                          unsigned long long zkey_size, char* error_msg,
                          unsigned long long error_msg_maxsize);

/* The same for a key in a file, which stays mapped. */
int groth16_prover_create_zkey_file(void** prover_object, const char* zkey_file_path,
                                    char* error_msg, unsigned long long error_msg_maxsize);

/* Proves a witness (the bytes of a .wtns file). *proof_size and *public_size are the sizes of the
 * buffers; afterwards those of the results, without the 0 that follows where there is room. */
int groth16_prover_prove(void* prover_object, const void* wtns_buffer, unsigned long long wtns_size,
                         char* proof_buffer, unsigned long long* proof_size, char* public_buffer,
                         unsigned long long* public_size, char* error_msg,
                         unsigned long long error_msg_maxsize);

/* Null is ignored. */
void groth16_prover_destroy(void* prover_object);

/* Create, prove and destroy in one. */
int groth16_prover(const void* zkey_buffer, unsigned long long zkey_size, const void* wtns_buffer,
                   unsigned long long wtns_size, char* proof_buffer, unsigned long long* proof_size,
                   char* public_buffer, unsigned long long* public_size, char* error_msg,
                   unsigned long long error_msg_maxsize);
int groth16_prover_zkey_file(const char* zkey_file_path, const void* wtns_buffer,
                             unsigned long long wtns_size, char* proof_buffer,
                             unsigned long long* proof_size, char* public_buffer,
                             unsigned long long* public_size, char* error_msg,
                             unsigned long long error_msg_maxsize);

/* Sizes of buffers that hold every proof, and the public values of every proof of a key. */
void groth16_proof_size(unsigned long long* proof_size);
int groth16_public_size_for_zkey_buf(const void* zkey_buffer, unsigned long long zkey_size,
                                     unsigned long long* public_size, char* error_msg,
                                     unsigned long long error_msg_maxsize);
int groth16_public_size_for_zkey_file(const char* zkey_file_path, unsigned long long* public_size,
                                      char* error_msg, unsigned long long error_msg_maxsize);

#ifdef __cplusplus
}
#endif

#endif
