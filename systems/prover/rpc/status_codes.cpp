// SPDX-License-Identifier: Apache-2.0
#include "prover/rpc/status_codes.hpp"

#include <fmt/format.h>

#include <array>

#include "prover/base/text.hpp"

namespace prover::rpc {
namespace {

struct Kind {
  ErrorKind kind;
  const char* name;
  grpc::StatusCode code;
};

constexpr std::array<Kind, 10> kKinds = {{
    {ErrorKind::failed, "failed", grpc::StatusCode::ABORTED},
    {ErrorKind::usage, "usage", grpc::StatusCode::INVALID_ARGUMENT},
    {ErrorKind::too_large, "too_large", grpc::StatusCode::INVALID_ARGUMENT},
    {ErrorKind::out_of_memory, "out_of_memory", grpc::StatusCode::UNAVAILABLE},
    {ErrorKind::cancelled, "cancelled", grpc::StatusCode::CANCELLED},
    {ErrorKind::deadline, "deadline", grpc::StatusCode::DEADLINE_EXCEEDED},
    {ErrorKind::draining, "draining", grpc::StatusCode::UNAVAILABLE},
    {ErrorKind::not_found, "not_found", grpc::StatusCode::NOT_FOUND},
    {ErrorKind::exhausted, "exhausted", grpc::StatusCode::RESOURCE_EXHAUSTED},
    {ErrorKind::self_check, "self_check", grpc::StatusCode::ABORTED},
}};

const Kind& row_of(ErrorKind kind) {
  for (const Kind& row : kKinds)
    if (row.kind == kind) return row;
  return kKinds[0];
}

// What the transport itself says: nobody there, a message that is too long, a deadline.
Error transport_error(const grpc::Status& status, const std::string& where) {
  const std::string text = printable(status.error_message());
  switch (status.error_code()) {
    case grpc::StatusCode::UNAVAILABLE:
      return {"no daemon answers", where,
              "is it running? 'prover daemon --config FILE' starts one; --socket or --address says "
              "where it listens",
              ErrorKind::draining};
    case grpc::StatusCode::DEADLINE_EXCEEDED:
      return {"no answer in time", where, "the job goes on: await it again", ErrorKind::deadline};
    case grpc::StatusCode::CANCELLED:
      // Not by this client, which knows it when it does (client.cpp): the server's end.
      return {"the daemon stops and did not answer", where,
              "repeat the call when it is back; a submission with the same --request-id",
              ErrorKind::draining};
    case grpc::StatusCode::RESOURCE_EXHAUSTED:
      // A message over the limit is refused however often it comes.
      return {text, where, "submit fewer partitions at once, or raise [limits] message-size",
              text.find("larger than max") != std::string::npos ? ErrorKind::too_large
                                                                : ErrorKind::exhausted};
    case grpc::StatusCode::UNAUTHENTICATED:
      return {text, where, {}, ErrorKind::usage};
    default:
      return {fmt::format("the call failed ({}): {}", static_cast<int>(status.error_code()), text),
              where,
              {},
              ErrorKind::failed};
  }
}

}  // namespace

grpc::StatusCode code_of(ErrorKind kind) { return row_of(kind).code; }
const char* kind_name(ErrorKind kind) { return row_of(kind).name; }

grpc::Status to_status(const Error& error, grpc::ServerContextBase& context) {
  context.AddTrailingMetadata(kKindKey, kind_name(error.kind));
  return {code_of(error.kind), error.to_text()};
}

Error to_error(const grpc::Status& status, const grpc::ClientContext& context,
               const std::string& where) {
  const auto& metadata = context.GetServerTrailingMetadata();
  const auto kind = metadata.find(kKindKey);
  if (kind == metadata.end()) return transport_error(status, where);
  const std::string name(kind->second.data(), kind->second.size());
  const std::string& text = status.error_message();
  const std::size_t line = text.find("\n  ");
  Error error{text.substr(0, line),
              {},
              line == std::string::npos ? "" : text.substr(line + 3),
              ErrorKind::failed};
  for (const Kind& row : kKinds)
    if (name == row.name) error.kind = row.kind;
  return error;
}

}  // namespace prover::rpc
