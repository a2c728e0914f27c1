# SPDX-License-Identifier: Apache-2.0
"""A/A: every kind of experiment on the engine, where nothing differs. Whatever is found is a false alarm."""
import os

from history import BURNING, bisect, settings
from lab import NONE, RIGHT, WRONG, Outcome

ENGINE = "batch " + " ".join(f"{option} {value}" for option, value in BURNING.items())
NOTHING = "no difference"


def outcome(claim, quiet, said):
    """`claim`: it found something; `quiet`: it says that there is nothing."""
    return Outcome(NOTHING, said, WRONG if claim else RIGHT if quiet else NONE)


def compare(lab):
    command = " ".join(lab.prover(ENGINE))
    answer = lab.assay("compare", "--tolerance", "5%", command, command, gate="cpu")
    words = {m["name"]: m["word"] for m in answer["metrics"] if m["gating"]}
    said = ", ".join(f"{name} {word}" for name, word in words.items())
    return outcome(set(words.values()) - {"EQUIVALENT", "UNDECIDED"}, set(words.values()) == {"EQUIVALENT"}, said)


def sweep(lab):
    answer = lab.assay("sweep", "--param", "nobody=1,2,4", "--env", "NOBODY_READS_THIS={nobody}", "--tolerance", "5%",
                       *(["--rounds", "12"] if lab.quick else []), "--", *lab.prover(ENGINE), gate="cpu")
    shape = (answer["shape"] or "undecided").upper()
    return outcome(shape in ("STEP", "TREND"), shape == "FLAT", shape)


def ablate(lab):
    words = [w for name in "abcde" for w in ("--change", f"{name}=NOBODY_READS_{name.upper()}=on")]
    answer = lab.assay("ablate", *words, "--tolerance", "5%", "--", *lab.prover(ENGINE), gate="cpu")
    named = [t for t in answer["terms"] if t["named"]]
    return outcome(named, not named and answer["reproduced"] == "no", answer["sentence"].split(":")[0])


def bisect_flat(lab):
    answer = bisect(lab, settings(os.path.join(lab.folder, "flat"))[0])
    found = answer.get("culprits") or []
    return outcome(found, answer["reproduced"] in (False, "no"), answer["sentence"].split(":")[0])


def timeline(lab):
    history = settings(os.path.join(lab.folder, "flat"), commits=12)[0]
    answer = lab.assay("timeline", f"{history.commits[-9]}..main", "--", "sh", "bench.sh", gate="cpu", cwd=history.folder,
                       env={"PROVER": f"{lab.tools}/prover"})
    steps = [c for c in answer["commits"] if c.get("step")]
    return outcome(steps, not steps, f"{len(steps)} steps")
