// SPDX-License-Identifier: Apache-2.0
#include "prover/daemon/config.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace prover::daemon {
namespace {

Config parsed(const std::string& text) {
  const auto config = parse_config(text, "/etc/prover/daemon.toml");
  EXPECT_TRUE(config) << config.error().to_text();
  return config ? *config : Config();
}

std::string message(const std::string& text) {
  const auto config = parse_config(text, "d.toml");
  return config ? "" : config.error().to_text();
}

// Everything in a configuration, as text.
std::string shown(const Config& config) {
  std::string text;
  for (const Key& key : config_table())
    text += std::string(key.name) + "=" + key.show(config) + "\n";
  for (const settings::Row& row : settings::engine_table())
    text += std::string(row.name) + "=" + row.effective(config.engine) + "\n";
  return text;
}

TEST(Config, ExampleIsTheDefaultAndNamesEveryKey) {
  const std::string example = example_config();
  Config expected = default_config();
  expected.listen.socket = "/run/prover/prover.sock";
  expected.journal = "/var/lib/prover/journal.db";
  EXPECT_EQ(shown(parsed(example)), shown(expected));
  for (const Key& key : config_table()) {
    const std::string line = std::string(key.name) + " = ";
    EXPECT_TRUE(example.find("\n" + line) != std::string::npos ||
                example.find("\n# " + line) != std::string::npos)
        << key.name;
  }
  for (const settings::Row& row : settings::engine_table())
    EXPECT_NE(example.find("\n" + std::string(row.name) + " = "), std::string::npos) << row.name;
}

// The commented lines are right too.
TEST(Config, ExampleHoldsWithItsCommentsTakenAway) {
  std::string example = example_config();
  for (const char* line : {"# address =", "# token-file =", "# http =", "# [[circuit]]",
                           "# name =", "# key =", "# sha256 =", "# builder ="}) {
    const std::size_t at = example.find(line);
    ASSERT_NE(at, std::string::npos) << line;
    example.erase(at, 2);
  }
  const Config config = parsed(example);
  EXPECT_EQ(config.listen.address, "127.0.0.1:50061");
  ASSERT_EQ(config.circuits.size(), 1u);
  EXPECT_EQ(config.circuits[0].key_path, "/etc/prover/age.zkey");
  EXPECT_EQ(config.circuits[0].builder->constraints, 65534u);
}

TEST(Config, EveryValueTurnsUp) {
  const Config config = parsed(R"(
[listen]
socket = "run/p.sock"
socket-mode = "0660"
http = "unix:/tmp/h"
[limits]
message-size = "1MiB"
queue = 7
deadline = "90s"
drain = "0s"
witness-memory = 1048576
[journal]
path = "memory"
[engine]
partition-workers = 12
memory-budget = "1GiB"
early-free = false
split = "off"
lc-inline = 2
[[circuit]]
name = "p"
key = "p.zkey"
builder = { kind = "porep", curve = "bls12-381", depth = 8, challenges = 2 }
[[circuit]]
name = "age"
key = "/keys/age.zkey"
)");
  EXPECT_EQ(config.listen.socket, "/etc/prover/run/p.sock");
  EXPECT_EQ(config.listen.socket_mode, 0660u);
  EXPECT_EQ(config.limits.message_bytes, 1u << 20);
  EXPECT_EQ(config.limits.witness_bytes, 1u << 20);
  EXPECT_EQ(config.limits.queue, 7u);
  EXPECT_EQ(config.limits.deadline->count(), 90000);
  EXPECT_EQ(config.journal, "memory");
  EXPECT_EQ(config.engine.engine.partition_workers, 12u);
  EXPECT_EQ(config.engine.engine.memory_budget, std::uint64_t{1} << 30);
  EXPECT_FALSE(config.engine.engine.early_free);
  EXPECT_FALSE(config.engine.engine.split);
  EXPECT_EQ(config.engine.work.lc_inline, 2u);
  ASSERT_EQ(config.circuits.size(), 2u);
  EXPECT_EQ(config.circuits[0].builder->depth, 8u);
  EXPECT_EQ(config.circuits[0].builder->curve, CurveId::bls12_381);
  EXPECT_EQ(config.circuits[1].key_path, "/keys/age.zkey");
}

TEST(Config, ErrorsPointAtThePlace) {
  const std::pair<const char*, const char*> cases[] = {
      {"[engine]\npartition-worker = 3\n",
       "d.toml:2:1: unknown key 'partition-worker' in [engine]\n  partition-worker = 3\n  ^ did "
       "you "
       "mean 'partition-workers'?"},
      {"[limit]\nqueue = 3\n",
       "d.toml:1:2: unknown section 'limit'\n  [limit]\n   ^ did you mean 'limits'?"},
      {"[limits]\nqueue = 0\n",
       "d.toml:2:9: queue: 0 is out of range\n  queue = 0\n          ^\n  give a number from 1 to "
       "1048576"},
      {"[limits]\ndrain = 60\n",
       "d.toml:2:9: drain is a number\n  drain = 60\n          ^\n  write a string, in quotes"},
      {"[limits]\ndrain = \"60\"\n",
       "d.toml:2:9: drain: '60' is a number without its unit\n  drain = \"60\"\n          ^\n  "
       "write "
       "for example 250ms, 30s, 5m, 2h or 7d"},
      {"[engine]\nsplit = 1\n",
       "d.toml:2:9: split is a number\n  split = 1\n          ^\n  write \"on\" or \"off\""},
      {"[engine]\norder = \"fifi\"\n",
       "d.toml:2:9: order: 'fifi' is neither priority nor fifo\n  order = \"fifi\"\n          ^\n  "
       "did "
       "you mean 'fifo'?"},
      {"[listen]\naddress = \"0.0.0.0:1\"\n",
       "d.toml:2:11: address: '0.0.0.0' is not of the loopback: other machines could reach it\n  "
       "address = \"0.0.0.0:1\"\n            ^\n  use 127.0.0.1, and a tunnel (ssh -L, a TLS "
       "proxy) "
       "for other machines"},
      {"[listen]\nsocket-mode = \"0666\"\n",
       "d.toml:2:15: socket-mode: '0666' is no mode of a socket for its user and group\n  "
       "socket-mode = \"0666\"\n                ^\n  0600 for the user alone, 0660 for the group "
       "too"},
      {"[[circuit]]\nname = \"x\"\n",
       "d.toml:1:1: a circuit without key\n  [[circuit]]\n  ^\n  name = \"...\" is what clients "
       "say, "
       "key = \"....zkey\" the proving key"},
      {"circuit = 1\n",
       "d.toml:1:1: circuits are sections of their own\n  circuit = 1\n  ^\n  write [[circuit]]"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(message(text), expected) << text;
}

TEST(Config, RefusesWhatDoesNotGoTogether) {
  const std::pair<const char*, const char*> cases[] = {
      {"[listen]\naddress = \"127.0.0.1:1\"\n", "every user of this machine could submit"},
      {"[listen]\ntoken-file = \"t\"\n", "nobody asks for tokens"},
      {"[[circuit]]\nname = \"x\"\nkey = \"a\"\n[[circuit]]\nname = \"x\"\nkey = \"b\"\n",
       "a second circuit 'x'"},
      {"[[circuit]]\nname = \"X\"\nkey = \"a\"\n", "'X' is no name"},
      {"[[circuit]]\nname = \"x\"\nkey = \"a\"\nsha256 = \"12\"\n", "no SHA-256"},
      {"[[circuit]]\nname = \"x\"\nkey = \"a\"\nbuilder = { bits = 5 }\n", "without its kind"},
      {"[[circuit]]\nname = \"x\"\nkey = \"a\"\nbuilder = { kind = \"dens\" }\n", "'dens' is no"},
      {"[[circuit]]\nname = \"x\"\nkey = \"a\"\nbuilder = { kind = \"sha256\", bit = 5 }\n",
       "did you mean 'bits'?"},
      {"engine = 3\n", "'engine' is a number, not a section"},
      {"[listen\n", "not valid TOML"},
  };
  for (const auto& [text, part] : cases)
    EXPECT_NE(message(text).find(part), std::string::npos) << text << message(text);
}

}  // namespace
}  // namespace prover::daemon
