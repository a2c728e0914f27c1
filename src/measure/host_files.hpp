// SPDX-License-Identifier: Apache-2.0
// Reading the small files of /proc and /sys. What is missing is empty, never an error: half of them
// are missing on any one machine.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/system.hpp"

namespace assay::measure {

std::string text_of(const System& system, const std::string& path);
// The text without the blanks and newlines at its end, made printable.
std::string word_of(const System& system, const std::string& path);
std::optional<double> number_of(const System& system, const std::string& path);

// The value behind "key :" in /proc/cpuinfo, /proc/meminfo, ...; the first of several.
std::optional<std::string> field(std::string_view text, std::string_view key);
std::optional<double> kilobytes(std::string_view meminfo, std::string_view key);

std::size_t cpus_online(const System& system);

}  // namespace assay::measure
