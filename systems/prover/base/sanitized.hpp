// SPDX-License-Identifier: Apache-2.0
// PROVER_SANITIZED is defined where a sanitizer checks every step: GCC and Clang say so
// differently.
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PROVER_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define PROVER_SANITIZED 1
#endif
#endif
