// SPDX-License-Identifier: Apache-2.0
// Rules proposed from a log's own shape. Lines of one shape (same words, other numbers) are a
// template; templates whose words differ by START and END (begun/finished, enter/exit, ...) and
// that share a key are the two ends of a span; a template with a duration is a span by itself. What
// tells items and workers is chosen by trying: with which keys do begins find their ends?
#pragma once

#include <string>
#include <string_view>

namespace assay::trace {

// A rules file for the log that begins with `sample` (whole lines; the first 8 MiB are enough),
// with comments that say why. Without any event when the sample has no pair and no duration.
std::string suggest_rules(std::string_view sample);

}  // namespace assay::trace
