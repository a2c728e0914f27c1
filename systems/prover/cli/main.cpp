// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "prover/base/allocator.hpp"
#include "prover/cli/exit_status.hpp"
#include "prover/cli/help.hpp"
#include "prover/cli/parse.hpp"
#include "prover/cli/terminal.hpp"
#include "prover/engine/buffer.hpp"
#include "prover/field/isa.hpp"

namespace prover::cli {
namespace {

// Threads that come later get this stack. The usual 8 MiB count fully against RLIMIT_DATA, whatever
// of it is used; the engine's threads use less than 100 KiB.
constexpr std::size_t kStackBytes = std::size_t{1} << 20;

// Kept for the moment when memory runs out: the message about it needs some.
constexpr std::size_t kReserveBytes = std::size_t{1} << 20;
Buffer reserve;
std::atomic_flag reserve_used;

void use_reserve() {
  if (reserve_used.test_and_set()) throw std::bad_alloc();
  reserve.free();
}

void prepare_memory() {
  return_freed_memory();
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
  if (auto buffer = Buffer::allocate(kReserveBytes, "a reserve")) reserve = std::move(*buffer);
  std::set_new_handler(use_reserve);
}

// Files are mapped. One that somebody cuts short meanwhile raises this where it is touched.
extern "C" void file_cut_short(int) {
  constexpr std::string_view text =
      "prover: a file became shorter while it was read, or the disk failed\n"
      "  replace files by renaming a new one, not by writing into them\n";
  (void)!::write(STDERR_FILENO, text.data(), text.size());
  ::_exit(kUsage);
}

void watch_files() {
  struct sigaction action {};
  action.sa_handler = file_cut_short;
  ::sigaction(SIGBUS, &action, nullptr);
  // A limit on the size of files is then an error of the write, which says so.
  ::signal(SIGXFSZ, SIG_IGN);
}

bool is_help(const std::string& word) { return word == "--help" || word == "-h"; }

Result<int> show(const std::string& text) {
  if (auto printed = print(text); !printed) return fail(printed.error());
  return kFine;
}

// prover help prove
Result<int> help_about(std::span<const std::string> words) {
  if (words.size() == 1 && !subcommands(words[0]).empty()) return show(group_help(words[0]));
  const auto found = find_command(words);
  if (!found) return fail(found.error());
  return show(full_help(*found->command));
}

Result<int> run(const std::vector<std::string>& words) {
  if (const auto isa = field::isa_from_environment(); !isa) return fail(isa.error());
  if (!words.empty()) {
    const std::string& first = words.front();
    if (is_help(first) || words == std::vector<std::string>{"help"}) return show(overview());
    if (first == "help") return help_about(std::span(words).subspan(1));
    if (first == "--version") return show(fmt::format("prover {}\n", PROVER_VERSION));
    if (words.size() > 1 && is_help(words[1]) && !subcommands(first).empty())
      return show(group_help(first));
  }
  const auto found = find_command(words);
  if (!found) return fail(found.error());
  const Command& command = *found->command;
  const auto arguments = parse(command, std::span(words).subspan(found->words));
  if (!arguments) return fail(arguments.error());
  if (arguments->help != Help::none)
    return show(arguments->help == Help::brief ? brief_help(command) : full_help(command));
  return command.run(*arguments);
}

}  // namespace
}  // namespace prover::cli

int main(int argc, char** argv) {
  try {
    prover::cli::prepare_memory();
    prover::cli::watch_files();
    const auto status = prover::cli::run({argv + 1, argv + argc});
    return status ? *status : prover::cli::complain(status.error());
  } catch (const std::bad_alloc&) {
    std::fputs("prover: out of memory: the system refused an allocation\n", stderr);
  } catch (const std::system_error& error) {
    std::fprintf(stderr, "prover: the system refused a thread or a lock: %s\n", error.what());
  }
  return prover::cli::kFailed;
}
