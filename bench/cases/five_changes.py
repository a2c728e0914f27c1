# SPDX-License-Identifier: Apache-2.0
"""Five changes landed together, and it takes longer. Which of them is it?

`asleep`: synthetic work sleeps, so the truth is a formula. A partition takes 24 ms of synthesis, by 6 workers, and 8 ms of the device: the
device is the bottleneck. Half the workers would still feed it, and so would a synthesis of twice the time; both together make
synthesis the bottleneck, at 16 ms a partition instead of 8. A host that is slower by a quarter takes a quarter more of everything. The
other two do nothing to the time.

`synthesis`: options of a real circuit's synthesis. Combinations that are not recycled can cost only where combinations are built, which is
without the compiled circuit: two changes interact by construction. How much everything costs is measured beside it, all 32
configurations in turns.
"""
from lab import Outcome, percent
import rounds
import terms

ASLEEP = {
    "workers": "set:workers=6,3",
    "synthesis": "set:synth=24,48",
    "host": "--inject synth=+25%,prove=+25%,finish=+25%",
    "early": "set:early=off,on",
    "pool": "set:free=off,on",
}
PARTITIONS = 30


def makespan(workers, synth, device=8.0):
    """ms of a batch, when nothing else runs: the first partition, then the slower of both stages."""
    if synth / workers <= device:
        return synth + PARTITIONS * device
    return synth * PARTITIONS / workers + device


def changes(of):
    return [word for name, change in of.items() for word in ("--change", f"{name}={change}")]


def asleep(lab):
    command = lab.prover(f"batch --work synthetic -c 3 --partitions {PARTITIONS // 3} --partition-mib 1 --witness-mib 1 --srs-mib 0 --cv 0 "
                         "--synth-cpu 0 --prove-cpu 0 --prove-ms 8 --finish-ms 1 --synth-ms {synth} --partition-workers {workers} "
                         "--early-free {early} --async-free {free}")
    answer = lab.assay("ablate", *changes(ASLEEP), "--tolerance", "5%", "--", *command, gate="wall")
    truth = {"host": 1.25, "synthesis&workers": makespan(3, 48) / makespan(6, 24)}
    return Outcome(", ".join(f"{name} {percent(r)}" for name, r in sorted(truth.items())) + "; early, pool nothing", terms.said(answer),
                   terms.judge_planted(answer, truth))


SYNTHESIS = {"compiled": ("on", "off"), "pool": ("on", "off"), "inline": ("0", "4"), "presize": ("on", "off"), "pin": ("off", "on")}
OPTIONS = {"pool": "lc-pool", "inline": "lc-inline"}  # the others are called as they are
NEAR, FAR = 0.06, 0.12


def synthesis(lab):
    size = "--work poseidon --depth 8 --partitions 16" if lab.quick else "--work porep --depth 4 --partitions 4"

    def command(values):
        return lab.prover(f"synth-only {size} " + " ".join(f"--{OPTIONS.get(name, name)} {value}" for name, value in values.items()))

    flags = [w for name, (off, on) in SYNTHESIS.items() for w in ("--change", f"{name}=set:{name}={off},{on}")]
    answer = lab.assay("ablate", *flags, "--tolerance", "3%", "--metric", "synth_cpu[s]=assay", "--",
                       *command({name: f"{{{name}}}" for name in SYNTHESIS}), gate="synth_cpu")
    sets = [frozenset(), frozenset({"compiled"}), frozenset(SYNTHESIS)] if lab.quick else terms.configurations(list(SYNTHESIS))
    results = lab.brute([command({name: v[name in on] for name, v in SYNTHESIS.items()}) for on in sets], 7 if lab.quick else 12, 300)
    measured = {on: rounds.ratio(results[0], result, "synth_cpu")[0] for on, result in zip(sets, results)}
    _, error = terms.farthest(answer, measured)
    truth = "; ".join(f"{' and '.join(sorted(on))} {percent(measured[on])}" for on in sets
                      if on in (frozenset({"compiled"}), frozenset({"compiled", "inline"}), frozenset(SYNTHESIS)))
    said = f"{terms.said(answer)}; predicts all of them within {abs(error - 1):.1%}"
    verdict = (terms.judge_largest(answer, "compiled", measured[frozenset({"compiled"})]) if lab.quick
               else terms.judge_measured(answer, measured, NEAR, FAR))
    return Outcome(f"of {len(sets)} configurations: {truth}", said, verdict)
