// SPDX-License-Identifier: Apache-2.0
// Who is writing which record. A writer holds one byte of the file "<store>-writers" (which stays
// empty) by a lock of its open file description: the kernel gives it back when the writer dies,
// however it dies, and everybody who can open the store on this kernel, from other containers too,
// sees it.
#pragma once

#include <set>
#include <string>

#include "base/result.hpp"

namespace assay::history {

class Writers {
 public:
  // `store` is the path of the store file. Nothing is opened yet.
  explicit Writers(const std::string& store) : store_(store), path_(store + "-writers") {}
  Writers(const Writers&) = delete;
  Writers& operator=(const Writers&) = delete;
  ~Writers();

  // Makes this the writer of record `id` until release or the end of the object; true at once when
  // it is already. false: another one is. Errors: the file cannot be opened.
  Result<bool> claim(const std::string& id);
  void release(const std::string& id);
  bool has(const std::string& id) const { return claimed_.contains(id); }

  // Whether another one writes record `id`. A file that cannot be read means no.
  bool is_elsewhere(const std::string& id);

 private:
  bool open_file(bool for_writing);

  std::string store_, path_;
  int fd_ = -1;
  bool writable_ = false;
  std::set<std::string> claimed_;
};

}  // namespace assay::history
