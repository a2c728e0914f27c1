// SPDX-License-Identifier: Apache-2.0
// The stable words of enums: in the store, in JSON and in text.
#pragma once

#include <optional>
#include <string_view>

#include "model/conclusion.hpp"
#include "model/design.hpp"
#include "model/metric.hpp"
#include "model/plan.hpp"
#include "model/record.hpp"
#include "model/trial.hpp"

namespace assay {

// "SLOWER", "FASTER", "EQUIVALENT", "UNDECIDED", "FAILED", "INVALID".
std::string_view to_word(Verdict);
std::string_view to_word(Sign);    // "slower", "faster", "none"
std::string_view to_word(Reason);  // "too-few", "noise-floor", ...
std::string_view to_word(WarningKind);
std::string_view to_word(EndedBy);
std::string_view to_word(PlanKind);
std::string_view to_word(Better);
std::string_view to_word(MetricOrigin);
std::string_view to_word(Ending);
std::string_view to_word(StopReason);
std::string_view to_word(TreeStepKind);
std::string_view to_word(ChangeKind);
std::string_view to_word(Shape);  // "FLAT", "TREND", "STEP", "UNDECIDED"
std::string_view to_word(Reproduced);
std::string_view to_word(Isolation);  // "unit", "suite"
std::string_view to_word(DoubtKind);
std::string_view to_word(AuditOrder);         // "suite", "reversed", ...
std::string_view to_word(Mechanism);          // "not-shown", "setup-in-timing", ...
std::string_view to_word(MovedBy);            // "nothing", "code", "suite", ...
std::string_view to_word(MeasurementStatus);  // "ok", "failed", "missing", "skipped"
std::string_view to_word(Presence);           // "both", "only-baseline", ...

// The value a word stands for; nothing when unknown. from_word<Verdict>("SLOWER").
template <class E>
std::optional<E> from_word(std::string_view word);

}  // namespace assay
