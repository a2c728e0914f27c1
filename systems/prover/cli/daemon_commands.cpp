// SPDX-License-Identifier: Apache-2.0
// The rows of the daemon's commands. They are done by prover-daemon, a program of its own, so that
// the others do not load gRPC.
#include "prover/cli/daemon_commands.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "prover/base/text.hpp"
#include "prover/cli/commands.hpp"

namespace prover::cli {
namespace {

// The words of this process's command line, the program's name first.
std::vector<std::string> own_words() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

// prover-daemon beside this program, with the same words. Returns only when it cannot be started.
Result<int> run_beside(const Arguments&) {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string program = (self.parent_path() / "prover-daemon").string();
  std::vector<std::string> words = own_words();
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execv(program.c_str(), argv.data());
  const int number = errno;
  const bool missing = number == ENOENT;
  return fail(ErrorKind::failed,
              missing ? "this program is not there: it is built only where gRPC is installed"
                      : fmt::format("it cannot be started: {}", std::strerror(number)),
              printable(program),
              missing ? "install libgrpc++-dev, libprotobuf-dev, protobuf-compiler and "
                        "protobuf-compiler-grpc (packages/prover.txt) and build again"
                      : "");
}

std::vector<Option> with_target(std::vector<Option> own) {
  const std::vector<Option> target = {
      {.name = "socket",
       .value = "PATH",
       .help = "the daemon's socket; by default $XDG_RUNTIME_DIR/prover.sock, else "
               "/run/prover/prover.sock",
       .group = "Daemon",
       .offer = Offer::file},
      {.name = "address",
       .value = "HOST:PORT",
       .help = "its port on the loopback instead; needs --token-file",
       .group = "Daemon"},
      {.name = "token-file",
       .value = "FILE",
       .help = "with the token for --address",
       .group = "Daemon",
       .offer = Offer::file}};
  own.insert(own.end(), target.begin(), target.end());
  return own;
}

const Option kOut = {.name = "out",
                     .value = "DIR",
                     .help =
                         "write proof.json and public.json there, or proof-0.json, "
                         "public-0.json and so on for several partitions",
                     .offer = Offer::file};
const Option kTimeout = {.name = "timeout",
                         .value = "DURATION",
                         .help = "wait no longer than e.g. 30s; the job goes on"};

Positional id() { return {.name = "ID", .help = "of prover submit", .offer = Offer::nothing}; }
Positional circuit() {
  return {.name = "CIRCUIT", .help = "a name of the configuration", .offer = Offer::nothing};
}

Command submit_command() {
  return {
      .name = "submit",
      .summary = "hand a job to the daemon, and print its id",
      .details =
          "When the id is printed, the job is on the daemon's disk and will be proved, over "
          "restarts too. A job has a partition for each --witness, or --partitions made from "
          "--seed where the circuit has a builder.\n"
          "With --request-id the same command can be repeated when nobody knows whether it "
          "arrived: it stays one job.",
      .options = with_target(
          {{.name = "circuit", .value = "NAME", .help = "a name of the daemon's configuration"},
           {.name = "witness",
            .value = "FILE",
            .help = "a .wtns file; again for each further partition",
            .offer = Offer::file},
           {.name = "seed", .value = "N", .help = "the builder makes the witnesses from it"},
           {.name = "partitions", .value = "N", .help = "how many, with --seed", .fallback = "1"},
           {.name = "priority",
            .value = "N",
            .help = "larger first among the jobs that wait; may be negative",
            .fallback = "0"},
           {.name = "deadline",
            .value = "DURATION",
            .help = "the job fails when it is not done after e.g. 10m"},
           {.name = "request-id", .value = "ID", .help = "your own name of the job"},
           {.name = "client",
            .value = "NAME",
            .help = "who asks, for the limit of jobs of each; by default the user's number"},
           {.name = "wait", .help = "wait for the proof, as prover await does"},
           {.name = "tied",
            .help = "wait, and cancel the job when this command ends before it; prints no id"},
           kOut}),
      .examples = {{"prover submit --circuit age --witness age.wtns --wait --out proofs",
                    "proofs/proof.json and proofs/public.json"},
                   {"prover submit --circuit dense --seed 1 --partitions 10",
                    "ten partitions of one of our own circuits"}},
      .run = run_beside};
}

}  // namespace

std::vector<Command> daemon_commands() {
  return {
      {.name = "daemon",
       .summary = "serve proofs to many clients, within a memory budget",
       .details =
           "Runs until SIGTERM, SIGHUP or Ctrl-C: then no new jobs are taken, jobs that have begun "
           "may go on for [limits] drain, and what is not done then stays in the journal and "
           "starts over after the next start. A second signal ends it at once; nothing is lost "
           "then either.\n"
           "Standard error has a line for each job that is taken, done, failed, cancelled or "
           "refused.\n"
           "docs/manual/prover-daemon.md is the operator's manual.",
       .options = {{.name = "config",
                    .value = "FILE",
                    .help = "TOML; 'prover config --example' prints one",
                    .offer = Offer::file}},
       .examples = {{"prover daemon --config /etc/prover/daemon.toml", "in the foreground"}},
       .run = run_beside},
      submit_command(),
      {.name = "await",
       .summary = "wait for a job, and fetch its proofs",
       .positionals = {id()},
       .options = with_target({kOut, kTimeout}),
       .examples = {{"prover await 5d3c2f6e1a90b784 --out proofs", "as often as you like"}},
       .run = run_beside},
      {.name = "cancel",
       .summary = "cancel a job that is not done",
       .positionals = {id()},
       .options = with_target({}),
       .examples = {{"prover cancel 5d3c2f6e1a90b784", "what it holds is free soon after"}},
       .run = run_beside},
      {.name = "status",
       .summary = "show the daemon and its jobs, or one job",
       .details =
           "Prints how many jobs there are and how many are pending, then a line for each: id, "
           "state (pending, done, failed, cancelled), partitions and circuit, client, request id. "
           "With --job that line alone, and the error of a job that failed.\n"
           "--json has memory, budget, circuits and loaded keys too; it is what HTTP's /status "
           "says.",
       .options = with_target(
           {{.name = "job", .value = "ID", .help = "only this one"},
            {.name = "metrics", .help = "the daemon's metrics as Prometheus reads them"},
            {.name = "json", .help = "print the result as JSON"}}),
       .examples = {{"prover status", "the jobs"},
                    {"prover status --job 5d3c2f6e1a90b784", "pending, done, failed or cancelled"}},
       .run = run_beside},
      {.name = "preload",
       .summary = "load a circuit's key before a job needs it",
       .positionals = {circuit()},
       .options = with_target({}),
       .examples = {{"prover preload age", "returns when it is loaded and checked"}},
       .run = run_beside},
      {.name = "evict",
       .summary = "throw a circuit's key out of the daemon's memory",
       .positionals = {circuit()},
       .options = with_target({}),
       .examples = {{"prover evict age", "refused while a job uses it"}},
       .run = run_beside},
      {.name = "config",
       .summary = "check a configuration of the daemon, or print an example",
       .options = {{.name = "check",
                    .value = "FILE",
                    .help = "say what is wrong with it; opens its keys too, and compares checksums",
                    .offer = Offer::file},
                   {.name = "example", .help = "print a complete one, every key with its default"}},
       .examples = {{"prover config --check /etc/prover/daemon.toml",
                     "exit status 2 and the place"},
                    {"prover config --example", "to begin with"}},
       .run = run_beside},
  };
}

}  // namespace prover::cli
