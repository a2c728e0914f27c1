// SPDX-License-Identifier: Apache-2.0
// What the builds of a store (build.hpp) take on disk, and making room. Whatever is removed is made
// again when it is needed.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace assay::build {

// The bound that the end of an experiment restores, unless the variable says another.
inline constexpr std::uint64_t kCacheBound = std::uint64_t{10} << 30;
inline constexpr const char* kCacheVariable = "ASSAY_CACHE_LIMIT";
// $ASSAY_CACHE_LIMIT ("50GiB"), else kCacheBound. An Error when it is no size.
Result<std::uint64_t> cache_bound();

struct StoredBuild {
  std::string key;                 // its folder's name
  bool finished = false;           // false: it failed, was cut short, or is being made
  bool in_use = false;             // another process builds or runs it
  std::string commit;              // this and the following: empty when not finished
  std::string command;             // the build command
  std::string subfolder;           // where it was run
  std::string repository;          // of the user: its git folder
  std::vector<std::string> steps;  // "revert of main~3"
  std::uint64_t bytes = 0;
  std::int64_t used_at_ms = 0;  // last, Unix time
};

struct StoredMirror {
  std::string key;         // its folder's name without ".git"
  std::string repository;  // of the user: its git folder; empty when unknown
  std::uint64_t bytes = 0;
  std::int64_t used_at_ms = 0;  // last, by itself or by a build
  std::uint64_t builds = 0;     // that hang on it
};

struct Cache {
  std::vector<StoredBuild> builds = {};    // those used last in front, unfinished ones behind
  std::vector<StoredMirror> mirrors = {};  // likewise
  std::uint64_t build_bytes() const;
  std::uint64_t mirror_bytes() const;
  std::uint64_t bytes() const { return build_bytes() + mirror_bytes(); }
};
// A store without builds is an empty one.
Cache read_cache(const std::string& store_dir);

struct Keep {
  std::uint64_t bytes = std::numeric_limits<std::uint64_t>::max();  // builds and mirrors together
  std::int64_t used_since_ms = std::numeric_limits<std::int64_t>::min();
  bool unfinished = false;  // those that do not have to go stay too: their logs may be wanted
  // Mirrors used since then stay although they alone take more than `bytes`.
  std::int64_t mirrors_since_ms = std::numeric_limits<std::int64_t>::max();
};

struct Removed {
  std::uint64_t builds = 0;
  std::uint64_t mirrors = 0;
  std::uint64_t bytes = 0;
  std::uint64_t in_use = 0;           // left alone although they should have gone
  std::vector<std::string> problems;  // what could not be removed and why
};
// Removes unfinished builds unless they are kept, then those not used since, then the longest
// unused ones until the rest fits; then, by the same rules, mirrors on which no build hangs any
// more. What is in use stays.
Removed remove_builds(const std::string& store_dir, const Keep& keep);
// What it would do.
Removed plan_removal(const std::string& store_dir, const Keep& keep);

}  // namespace assay::build
