# SPDX-License-Identifier: Apache-2.0
"""A suite whose benchmarks share large states, at some steps of its story (docs/beacon.md): what is known is planted.

At step 4 the unit state_root clears the cache of states behind itself, and who asks next derives its caches inside the timing; at step 7 the
unit small_state leaves its small state under the large one's name; at step 6 every benchmark derives caches inside the timing, alone too.
"""
import os

from lab import NONE, RIGHT, WRONG, Outcome, apart, percent
from repository import Repository
import rounds

# Units that copy the default state, and of these those whose work needs the caches.
NEEDING = {"set_status", "process_attestation", "process_inactivity_updates", "process_rewards_and_penalties", "process_epoch"}
USING = NEEDING | {"state_root", "clones", "ssz", "other_forks"}
ADAPTER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "systems", "beacon", "suite", "suite.toml")
SUBJECTS = ["Before", "States of three other forks", "Copies with their caches", "Only the default size is cached",
            "The cache is cleared in a teardown", "Made in the setup and released", "Caches made where they are needed", "A small state first"]


def suite(lab, step):
    folder = os.path.join(lab.keys, "beacon")
    return [f"{lab.tools}/beacon-bench", f"--validators={2048 if lab.quick else 65536}", f"--state-folder={folder}", f"--step={step}"]


def audit(lab, step, *words):
    """Needs Google Benchmark, without which there is no beacon-bench."""
    return lab.assay("suite audit", *words, "--adapter", ADAPTER, "--", *suite(lab, step), budget="4m" if lab.quick else "40m")


def judge(answer, truth, direction, polluter, mechanism, must, may):
    """`must`: units with a benchmark that is found in the suite's own order; `may`: units that are affected in some order."""
    found = [v for v in answer["victims"] if v["direction"] == direction]
    own = {v["unit"] for v in found if v["order"] == "suite"}
    said = ", ".join(sorted(own)) or "nothing"
    named = {tuple(p) for v in found for p in v["polluters"]}
    how = {v["mechanism"] for v in found if v["order"] == "suite"}
    if named:
        said += " by " + ", ".join(sorted(" with ".join(p) for p in named)) + ": " + ", ".join(sorted(how))
    if not {v["unit"] for v in found} <= may or not named <= {(polluter,)}:
        return Outcome(truth, said, WRONG)
    return Outcome(truth, said, RIGHT if must <= own and named == {(polluter,)} and mechanism in how else NONE)


def cleared(lab):
    victims = NEEDING - {"process_epoch"}  # clones, in front of that, makes the cache whole again
    return judge(audit(lab, 4), f"{', '.join(sorted(victims))} by state_root: setup inside the timing", "slower", "state_root", "setup-in-timing",
                 victims, NEEDING)


def small_first(lab):
    return judge(audit(lab, 7), "whoever comes behind small_state is too fast: another workload", "faster", "small_state", "workload",
                 {"process_inactivity_updates", "process_rewards_and_penalties", "process_epoch"}, USING)


def healthy(lab):
    found = audit(lab, 0)["victims"]
    said = ", ".join(f"{v['id']} {v['factor']:.2g}x" for v in found) or "nothing"
    return Outcome("no benchmark depends on the others", said, WRONG if found else RIGHT)


def rebuilt(lab):
    """Two builds: every benchmark that needs caches is slower, and one that works on no state is not."""
    words = ["--adapter", ADAPTER, "--only", "process_inactivity_updates", "--only", "process_rewards_and_penalties", "--only", "shuffling",
             "--control", "shuffling/*", "--tolerance", "15%"]
    answer = lab.assay("suite compare", *words, *(" ".join(suite(lab, step)) for step in (1, 6)), budget="3m" if lab.quick else "20m")
    slower = {b["unit"] for b in answer["benchmarks"] if b["verdict"] == "SLOWER"}
    wanted = {"process_inactivity_updates", "process_rewards_and_penalties"}
    said = ", ".join(f"{b['id'].split('/vc')[0]} {b['ratio']:.3g}x" for b in answer["benchmarks"] if b["verdict"] == "SLOWER")
    return Outcome("what needs caches is slower, shuffling is not", said or "undecided", WRONG if slower - wanted else RIGHT if slower == wanted else NONE)


def story(lab):
    """The seven steps as commits: which of them take CPU time, beside brute force."""
    repository = Repository(os.path.join(lab.folder, "suite"))
    folder, small = os.path.join(lab.keys, "beacon"), "2048" if lab.quick else "65536"
    repository.write("suite.sh", f'exec "$BENCH" --validators={small} --state-folder={folder} --step=$(cat step) --benchmark_out=/dev/null >/dev/null 2>&1\n')
    for step, subject in enumerate(SUBJECTS):
        repository.write("step", f"{step}\n")
        repository.commit(subject)
    brute = lab.brute([suite(lab, step) for step in range(len(SUBJECTS))], 5 if lab.quick else 20)
    ratios = {step: rounds.ratio(brute[step - 1], brute[step], "cpu", 0.99) for step in range(1, len(SUBJECTS))}
    # What lies on the tolerance's edge may be called either.
    clear = {step for step, (_, lo, hi) in ratios.items() if apart((lo, hi), (1 / 1.15, 1.15))}
    maybe = {step for step, (middle, _, _) in ratios.items() if apart((middle, middle), (1 / 1.1, 1.1))}
    answer = lab.assay("timeline", f"{repository.commits[0]}..main", "--tolerance", "15%", "--", "sh", "suite.sh", gate="cpu",
                       budget="3m" if lab.quick else "30m", cwd=repository.folder, env={"BENCH": f"{lab.tools}/beacon-bench"})
    named = {repository.commits.index(c["rev"]) for c in answer["commits"] if c.get("step")}
    told = lambda steps: ", ".join(f"{step} ({percent(ratios[step][0])})" for step in sorted(steps)) or "none"  # noqa: E731
    right = clear <= named <= clear | maybe
    return Outcome(f"CPU moves with {told(clear)}", f"with {told(named)}", RIGHT if right else WRONG if named - clear - maybe else NONE)
