// SPDX-License-Identifier: Apache-2.0
// The program beacon-net: a file of JSON lines for each participant, one line a slot. Exit status:
// 0; 1 when it cannot be done; 2 when it was asked for wrongly.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <new>

#include "beacon/net/network.hpp"

namespace {

using beacon::Status;
using beacon::net::Report;

int run(int argc, char** argv) {
  CLI::App app("A small network of beacon nodes of kinds A and B, of which B may differ at a fork",
               "beacon-net");
  beacon::net::NetworkRequest request;
  std::string difference = "late-fork", folder;
  app.add_option("--kinds", request.kinds, "a letter for each participant")->capture_default_str();
  app.add_option("--validators", request.validators)->capture_default_str();
  app.add_option("--slots", request.slots)->capture_default_str();
  app.add_option("--first-epoch", request.first_epoch, "the chain begins behind it")
      ->capture_default_str();
  app.add_option("--fork-epoch", request.fork_epoch, "the rules change at its first slot")
      ->capture_default_str();
  app.add_option("--difference", difference, "of B: none, late-fork or old-penalty")
      ->capture_default_str();
  app.add_option("--seed", request.seed)->capture_default_str();
  app.add_option("FOLDER", folder, "for node0-A.jsonl and so on")->required();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  const auto report_error = [](const beacon::Error& error) {
    std::fprintf(stderr, "beacon-net: %s\n", error.to_text().c_str());
    return 1;
  };
  const auto named = beacon::net::difference_named(difference);
  if (!named) return report_error(named.error());
  request.difference = *named;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  std::vector<std::ofstream> files(request.kinds.size());
  const auto path_of = [&](std::size_t i) {
    return folder + "/node" + std::to_string(i) + "-" + request.kinds[i] + ".jsonl";
  };
  const Status done = run_network(request, [&](const Report& report) -> Status {
    std::ofstream& file = files[report.participant];
    if (!file.is_open()) file.open(path_of(report.participant));
    file << to_json(report) << '\n';
    if (!file) return beacon::fail("cannot be written", path_of(report.participant));
    return {};
  });
  if (!done) return report_error(done.error());
  for (std::size_t i = 0; i < files.size(); ++i)
    if (files[i].is_open() && !files[i].flush())
      return report_error({"cannot be written", path_of(i), {}});
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "beacon-net: out of memory\n");
    return 1;
  }
}
