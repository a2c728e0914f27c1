#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The program `beacon` beside @lodestar/state-transition, on the same states and blocks: every state root must be the same.

    interop.py --bin FOLDER --work FOLDER      FOLDER of --bin holds beacon

States of both presets, healthy, mixed and without finality, come from `beacon make-state`, with public keys that are points of the curve;
blocks, with attestations in time and late, slashings and exits, from `beacon make-blocks`. Compared are the root of what was read, the
state behind the steps of an epoch's end, behind empty slots over the ends of two epochs, and behind each block of a chain. Blocks with
a changed byte must be refused by both. Signatures are verified by neither.
One line a case; exit 1 when one fails. Exit 77 (skipped, with the reason) where Node, npm or its registry is missing.
"""
import argparse
import hashlib
import json
import os
import pathlib
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "interop"))
import peers  # noqa: E402  (what both tests of this kind use)

SKIPPED = 77
NODE = 20
KEYS = 2000
# preset, validators, epoch. No sync committee's period ends within the slots that are gone through: that needs BLS.
SIZES = [("minimal", 300, 1001), ("minimal", 64, 2001), ("mainnet", 1500, 10101)]
KINDS = ("healthy", "mixed", "leak")


def install(work):
    """npm ci of this folder's lock file into `work`, unless that is what is there."""
    peers.check_node()
    version = peers.run(["node", "--version"]).output.strip()
    if int(version[1:].split(".")[0]) < NODE:
        raise peers.Skip(f"node {NODE} or newer is needed, and this is {version}")
    with peers.locked(work / "install.lock"):
        wanted, stamp = hashlib.sha256((HERE / "package-lock.json").read_bytes()).hexdigest(), work / "installed"
        if stamp.exists() and stamp.read_text() == wanted:
            return
        stamp.unlink(missing_ok=True)
        for name in ("package.json", "package-lock.json", ".npmrc"):
            shutil.copy2(HERE / name, work / name)
        done = peers.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--fetch-retries=1"], cwd=work)
        if done.returncode != 0:
            if peers.UNREACHABLE.search(done.output):
                raise peers.Skip(f"npm cannot reach its registry:\n{done.output[-1500:]}")
            raise peers.Failure(f"npm ci failed:\n{done.output[-4000:]}")
        stamp.write_text(wanted)


def roots(done):
    """Slot and root of each line of JSON; lodestar's libraries print others."""
    lines = [json.loads(line) for line in done.output.splitlines() if line.startswith("{")]
    return [(line["slot"], line["state_root"]) for line in lines]


class Pair:
    """Ours and theirs, in one folder, with one preset."""

    def __init__(self, beacon, work, preset):
        self.beacon, self.work, self.preset = beacon, work, preset
        # A module finds its packages from where it lies.
        shutil.copy2(HERE / "lodestar.mjs", work / "lodestar.mjs")
        self.env = dict(os.environ, LODESTAR_PRESET=preset)

    def ours(self, command, *words):
        return peers.run([self.beacon, command, "--preset", self.preset, *words])

    def theirs(self, *words):
        return peers.run(["node", self.work / "lodestar.mjs", *words], env=self.env)

    def same(self, *commands):
        """What both find for each of the commands; Node starts once."""
        found = [roots(peers.must(self.ours(*words))) for words in commands]
        theirs = roots(peers.must(self.theirs(*[word for words in commands for word in (*words, "--")][:-1])))
        for words, ours in zip(commands, found):
            if not ours or theirs[:len(ours)] != ours:
                raise peers.Failure(f"{words[0]}: {ours} is not {theirs[:len(ours)]}")
            theirs = theirs[len(ours):]
        return found


def check_state(pair, folder, validators, epoch, kind, keys):
    state, blocks = folder / "state.ssz", folder / "blocks"
    blocks.mkdir()
    made = roots(peers.must(pair.ours("make-state", "--validators", validators, "--epoch", epoch, "--kind", kind, "--pubkeys", keys, state)))
    count = 20 if pair.preset == "minimal" else 6
    built = roots(peers.must(pair.ours("make-blocks", state, blocks, "--blocks", count, "--operations")))
    paths = sorted(blocks.iterdir())
    slot, slots_per_epoch = made[0][0], (made[0][0] + 1) // (epoch + 1)
    read, ended, _, applied = pair.same(("root", state), ("process-epoch", state), ("process-slots", state, slot + slots_per_epoch + 2),
                                        ("apply", state, *paths))
    if read != made or ended == made:
        raise peers.Failure("what was made is not what was read, or the end of an epoch changed nothing")
    if applied != built or len(built) != count:
        raise peers.Failure("a chain is not what it was when it was built")
    return state, paths


def check_refused(pair, folder, state, block):
    """A byte of an attestation's source, or of the parent's root, is another one."""
    good = block.read_bytes()
    # SignedBlock: offset, signature (96), then the block: slot, proposer, parent root.
    parent = 4 + 96 + 16
    for name, place in (("parent root", parent), ("proposer", 4 + 96 + 8)):
        bad = folder / "bad.ssz"
        bad.write_bytes(good[:place] + bytes([good[place] ^ 1]) + good[place + 1:])
        for who in (pair.ours, pair.theirs):
            if who("apply", state, bad).returncode == 0:
                raise peers.Failure(f"a changed {name} is taken by {who.__name__}")


def run(options, work):
    beacon, failed, count = options.bin.resolve() / "beacon", 0, 0
    keys = work / "keys.bin"
    if not keys.exists():
        part = keys.with_suffix(".part")
        peers.must(Pair(beacon, work, "minimal").theirs("pubkeys", KEYS, part))
        part.rename(keys)
    for preset, validators, epoch in SIZES:
        pair = Pair(beacon, work, preset)
        for kind in KINDS:
            name, count = f"{preset}, {validators} validators, {kind}", count + 1
            with tempfile.TemporaryDirectory() as folder:
                try:
                    state, paths = check_state(pair, pathlib.Path(folder), validators, epoch, kind, keys)
                    if kind == "healthy":
                        check_refused(pair, pathlib.Path(folder), state, paths[0])
                    print(f"ok    {name}", flush=True)
                except peers.Failure as failure:
                    failed += 1
                    print(f"FAIL  {name}: {failure}", flush=True)
    print(f"{count} states, {failed} failed")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True, type=pathlib.Path, help="folder of the program to run")
    parser.add_argument("--work", required=True, type=pathlib.Path, help="folder for npm's packages and keys")
    options = parser.parse_args()
    work = options.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    try:
        install(work)
        return run(options, work)
    except peers.Skip as why:
        print(f"SKIPPED: {why}\nbeacon was NOT compared with @lodestar/state-transition.", flush=True)
        return SKIPPED
    except peers.Failure as failure:
        print(f"FAIL  preparing: {failure}")
        return 1


if __name__ == "__main__":
    sys.exit(main())
