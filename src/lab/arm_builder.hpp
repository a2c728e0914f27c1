// SPDX-License-Identifier: Apache-2.0
// Builds the arms of a plan, each once, and keeps their builds from being collected meanwhile.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "model/conclusion.hpp"
#include "model/plan.hpp"
#include "model/record.hpp"

namespace assay::lab {

// What is told meanwhile; every member may be empty.
struct BuildEvents {
  std::function<void(const std::string& text)> on_start;  // "building main (3fa1c2d)"
  std::function<void(const std::string& text)> on_end;    // "built main (3fa1c2d) in 40 s"
  std::function<void(const std::string& line)> on_line;   // output of a build
};

class ArmBuilder {
 public:
  ArmBuilder(std::string store_folder, const BuildEvents& events,
             const std::atomic<bool>& interrupted)
      : store_folder_(std::move(store_folder)), events_(events), interrupted_(interrupted) {}

  // Builds the arm and sets its cwd. The Build says whether it went well, and why not; nothing when
  // it was interrupted. `limit_s`: of this build, 0 = none; `limit`: how it is called when it was
  // not kept. Errors: as of build::build_revision.
  Result<std::optional<Build>> build(Plan& plan, std::uint32_t arm, double limit_s,
                                     const std::string& limit);

  // What building let one doubt: submodules that are not fetched, ...
  const std::vector<Warning>& warnings() const { return warnings_; }

 private:
  std::string store_folder_;
  BuildEvents events_;
  const std::atomic<bool>& interrupted_;
  std::vector<Warning> warnings_;
  std::vector<std::shared_ptr<const void>> in_use_;
};

}  // namespace assay::lab
