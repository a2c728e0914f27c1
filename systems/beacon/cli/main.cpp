// SPDX-License-Identifier: Apache-2.0
// The program `beacon`. Exit status: 0, or 1 when what was asked for cannot be done, or 2 when it
// was asked for wrongly.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <new>

#include "beacon/base/files.hpp"
#include "beacon/cli/commands.hpp"

namespace {

using beacon::Status;
using beacon::cli::Options;

int run(int argc, char** argv) {
  CLI::App app(
      "The beacon chain's state transition (Altair) on states and blocks in SSZ files. "
      "Signatures are not verified.",
      "beacon");
  app.require_subcommand(1);
  Options options;
  Status (*chosen)(const Options&) = nullptr;
  const auto command = [&](const char* name, const char* help, Status (*run_it)(const Options&)) {
    CLI::App* sub = app.add_subcommand(name, help);
    sub->add_option("--preset", options.preset, "mainnet or minimal")->capture_default_str();
    sub->callback([&chosen, run_it] { chosen = run_it; });
    return sub;
  };
  const auto takes_state = [&](CLI::App* sub) {
    sub->add_option("STATE", options.state, "an Altair BeaconState (SSZ)")->required();
    return sub;
  };
  const auto writes = [&](CLI::App* sub) {
    sub->add_option("--out", options.output, "where the state behind it goes");
    return sub;
  };

  CLI::App* make = command("make-state", "a state that a seed decides", beacon::cli::make_state);
  make->add_option("--validators", options.validators, "how many")->required();
  make->add_option("--epoch", options.epoch, "the state is of its last slot")
      ->capture_default_str();
  make->add_option("--seed", options.seed)->capture_default_str();
  make->add_option("--kind", options.kind, "healthy, mixed or leak")->capture_default_str();
  make->add_option("--pubkeys", options.pubkeys, "a file of public keys, 48 bytes each");
  make->add_option("STATE", options.output, "the file to write")->required();

  takes_state(command("root", "the state's root", beacon::cli::print_root));
  writes(
      takes_state(command("process-epoch", "the end of an epoch alone", beacon::cli::end_epoch)));
  CLI::App* slots =
      writes(takes_state(command("process-slots", "empty slots", beacon::cli::go_to_slot)));
  slots->add_option("SLOT", options.slot)->required();
  CLI::App* blocks = takes_state(
      command("make-blocks", "blocks upon the state, into a folder", beacon::cli::make_blocks));
  blocks->add_option("FOLDER", options.output)->required();
  blocks->add_option("--blocks", options.blocks)->capture_default_str();
  blocks->add_option("--seed", options.seed)->capture_default_str();
  blocks->add_flag("--operations", options.operations, "with slashings and exits now and then");
  CLI::App* apply = writes(takes_state(command(
      "apply", "the state transition by blocks, one after another", beacon::cli::apply_blocks)));
  apply->add_option("BLOCK", options.inputs)->required();

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  Status done = chosen(options);
  if (done) done = beacon::finish_output();
  if (done) return 0;
  std::fprintf(stderr, "beacon: %s\n", done.error().to_text().c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "beacon: out of memory\n");
    return 1;
  }
}
