// SPDX-License-Identifier: Apache-2.0
// CSV with a header: columns are known by their names, units by a suffix (begin_ms, duration_us) or
// by the rules ([csv] time = "ms"). Commas, semicolons or tabs; quotes as in RFC 4180, but a field
// does not span lines. Caveat: with one time and a duration, the time is taken for the end.
//
//   begin|start, end|stop         times; a plain number needs a unit, ISO-8601 and Unix times do
//   not t|time|ts|timestamp           the row's time: with a duration its end, else an instant or
//   value duration|dur|elapsed|latency stage|name|span|phase|op...   the stage; kind: service,
//   queue_wait, ... item, job, partition, id...   the item's key, joined in the order of the
//   columns worker|tid|thread|device...; label|class; bytes; value (a counter called by the stage)
#pragma once

#include "trace/importer.hpp"

namespace assay::trace {

const Importer& csv_importer();  // "csv"

}  // namespace assay::trace
