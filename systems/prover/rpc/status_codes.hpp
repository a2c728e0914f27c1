// SPDX-License-Identifier: Apache-2.0
// Errors as gRPC statuses and back. Included by the translation units of gRPC only.
#pragma once

#include <grpcpp/grpcpp.h>

#include "prover/base/result.hpp"

namespace prover::rpc {

// The trailing metadata that names the ErrorKind, so that clients tell a refusal of the daemon from
// one of the transport.
inline constexpr const char* kKindKey = "prover-error-kind";

grpc::StatusCode code_of(ErrorKind kind);
const char* kind_name(ErrorKind kind);

// For a server: the status, and the kind in `context`'s trailing metadata.
grpc::Status to_status(const Error& error, grpc::ServerContextBase& context);
// For a client. `where` is what it talked to.
Error to_error(const grpc::Status& status, const grpc::ClientContext& context,
               const std::string& where);

}  // namespace prover::rpc
