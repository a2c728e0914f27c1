// SPDX-License-Identifier: Apache-2.0
// The processor's instructions as functions. Include this, never <immintrin.h>: GCC 12 calls the
// undefined operands in that file uninitialised, and hears so only where it is first included.
#pragma once

#if defined(__x86_64__)

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>
#pragma GCC diagnostic pop
#else
#include <immintrin.h>
#endif

#endif
