// SPDX-License-Identifier: Apache-2.0
// @lodestar/state-transition on files, in the words of the program `beacon`: one line of JSON a state.
//
//   node lodestar.mjs pubkeys COUNT OUT            public keys of the secret keys 1 ... COUNT
//   node lodestar.mjs root STATE
//   node lodestar.mjs process-epoch STATE          the steps of an epoch's end alone
//   node lodestar.mjs process-slots STATE SLOT
//   node lodestar.mjs apply STATE BLOCK...         without signatures
//
// Several, with "--" between them, are done by one process. The preset is LODESTAR_PRESET's, which must be set before anything is imported.
import fs from "node:fs";

const { SecretKey } = await import("@chainsafe/blst");
const { createChainForkConfig, defaultChainConfig } = await import("@lodestar/config");
const { ForkSeq } = await import("@lodestar/params");
const transition = await import("@lodestar/state-transition");
const epoch = await import("@lodestar/state-transition/epoch");
const { ssz } = await import("@lodestar/types");

// Altair from genesis on, and nothing after it.
const never = Infinity;
const config = createChainForkConfig({
  ...defaultChainConfig,
  ALTAIR_FORK_EPOCH: 0,
  BELLATRIX_FORK_EPOCH: never,
  CAPELLA_FORK_EPOCH: never,
  DENEB_FORK_EPOCH: never,
  ELECTRA_FORK_EPOCH: never,
  FULU_FORK_EPOCH: never,
});

const hex = (bytes) => "0x" + Buffer.from(bytes).toString("hex");

function print(state) {
  state.commit();
  console.log(
    JSON.stringify({ slot: state.slot, validators: state.validators.length, state_root: hex(state.hashTreeRoot()) }),
  );
}

function load(path) {
  const state = ssz.altair.BeaconState.deserializeToViewDU(fs.readFileSync(path));
  return transition.createCachedBeaconState(state, transition.createEmptyEpochCacheImmutableData(config, state));
}

// lodestar takes only public keys that are points of the curve.
function pubkeys(count, out) {
  const keys = Buffer.alloc(48 * count);
  for (let i = 0; i < count; i++) {
    const secret = Buffer.alloc(32);
    secret.writeUInt32BE(i + 1, 28);
    keys.set(SecretKey.fromBytes(secret).toPublicKey().toBytes(), 48 * i);
  }
  fs.writeFileSync(out, keys);
}

const unverified = { verifyStateRoot: false, verifyProposer: false, verifySignatures: false };
const commands = {
  pubkeys: (count, out) => pubkeys(Number(count), out),
  root: (path) => print(ssz.altair.BeaconState.deserializeToViewDU(fs.readFileSync(path))),
  "process-epoch": (path) => {
    const state = load(path);
    epoch.processEpoch(ForkSeq.altair, state, transition.beforeProcessEpoch(state));
    print(state);
  },
  "process-slots": (path, slot) => print(transition.processSlots(load(path), Number(slot))),
  apply: (path, ...blocks) => {
    let state = load(path);
    for (const block of blocks) {
      const signed = ssz.altair.SignedBeaconBlock.deserialize(fs.readFileSync(block));
      state = transition.stateTransition(state, signed, unverified);
      print(state);
    }
  },
};

const asked = [[]];
for (const word of process.argv.slice(2)) {
  if (word === "--") asked.push([]);
  else asked.at(-1).push(word);
}
for (const [command, ...words] of asked) commands[command](...words);
