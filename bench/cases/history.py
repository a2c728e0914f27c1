# SPDX-License-Identifier: Apache-2.0
"""A history of 64 commits, one of which made it slower: which?

Two repositories, made here and the same every time. In `settings` each commit edits a service's settings, `engine.conf`, or its notes; the
engine is run with them, and the culprit changes what a partition costs. `sources` is a copy of this project's own field arithmetic
with a small program around it: the culprit rewrites one function, and every commit that is looked at is compiled.
"""
import os
import random
import shutil
import subprocess

from lab import NONE, RIGHT, WRONG, Outcome, percent
import rounds
from repository import Repository

COMMITS, AT = 64, 37
# What a commit may change without changing what is computed: these sizes and orders do not bind here.
HARMLESS = [("--lookahead", ["1", "2", "3"], "look further ahead"), ("--partition-workers", ["6", "7", "8"], "workers"),
            ("--early-free", ["on", "off"], "when vectors are freed"), ("--async-free", ["on", "off"], "who frees"),
            ("--batch-wait", ["50", "100", "200"], "the wait of a batch that is never collected")]
# CPU of the thread's own clock: 20 partitions of 1 ms + 1 ms.
BURNING = {"--work": "synthetic", "--count": "2", "--partitions": "10", "--partition-mib": "1", "--witness-mib": "1", "--srs-mib": "0",
           "--cv": "0", "--synth-cpu": "1", "--synth-ms": "1", "--prove-cpu": "1", "--prove-ms": "1", "--finish-ms": "0",
           "--partition-workers": "6"}


def settings(folder, culprit=None, options=None, commits=COMMITS, seed=1):
    """(repository, the culprit's id): `culprit` is (option, value, subject), or None for a history in which nothing happens."""
    repository, options, draw, guilty = Repository(folder), dict(options or BURNING), random.Random(seed), None
    repository.write("bench.sh", 'exec "${PROVER:-prover}" bench batch $(cat engine.conf)\n')

    def commit(subject):
        repository.write("engine.conf", "".join(f"{option} {value}\n" for option, value in options.items()))
        return repository.commit(subject)

    commit("The engine's settings")
    for number in range(1, commits + 1):
        if culprit is not None and number == AT:
            options[culprit[0]] = culprit[1]
            guilty = commit(culprit[2])
            continue
        option, values, subject = draw.choice(HARMLESS)
        if draw.random() < 0.7:
            options[option] = draw.choice(values)
        else:
            option, subject = "nothing", "notes"
        repository.write("notes.md", f"{number}: {option}\n", "a")
        commit(f"Day {number}: {subject}")
    return repository, guilty


def judge(answer, repository, guilty, truth):
    if answer["reproduced"] not in (True, "yes", "better") or not answer.get("culprits"):
        return Outcome(truth, "does not reproduce" if answer["reproduced"] in (False, "no") else "nothing named", NONE)
    named = answer["culprits"]
    if len(named) > 1 or guilty not in named[0]["set"]:
        return Outcome(truth, answer["sentence"], WRONG)
    if len(named[0]["set"]) > 1:
        return Outcome(truth, f"one of {len(named[0]['set'])}", NONE)
    return Outcome(truth, f"'{named[0]['subject']}', {percent(named[0]['effect']['ratio'])}", RIGHT)


def truth_of(repository, guilty, subject, effect):
    return f"'{subject}', the {repository.commits.index(guilty)}th of {len(repository.commits) - 1}, {effect}"


def bisect(lab, repository, *words, command=("sh", "bench.sh")):
    return lab.assay("bisect", "--good", repository.commits[0], "--bad", "main", *words, "--", *command, gate="cpu",
                     cwd=repository.folder, env={"PROVER": f"{lab.tools}/prover"})


def slow_setting(lab):
    subject = "Check every point twice"
    repository, guilty = settings(os.path.join(lab.folder, "settings"), ("--inject", "prove=+60%", subject))
    return judge(bisect(lab, repository), repository, guilty, truth_of(repository, guilty, subject, "+30 % of the work"))


# --- our own sources -------------------------------------------------------------------------------------------

FIELD = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "systems", "prover", "field")
HEADERS = ("curve_id", "field", "intrinsics", "inverse", "limbs", "montgomery", "params")
PROGRAM = """#include <cstdio>
#include <vector>

#include "prover/field/params.hpp"

// Products, sums, and inverses of many, as the sums over a curve's points need them.
int main() {
  using F = prover::field::Field<prover::field::Bn254Fq>;
  std::vector<F> values(512), scratch(512);
  F step = F::from_word(7), total;
  for (int round = 0; round < 20; ++round) {
    for (F& value : values) {
      for (int i = 0; i < 96; ++i) step = step * step + step;
      value = step;
    }
    prover::field::invert_all<F>(values, scratch);
    for (const F& value : values) total += value;
  }
  std::printf("%d\\n", total.is_zero());
}
"""
MANY = """  F product = F::one();
  for (std::size_t i = 0; i < values.size(); ++i) {
    scratch[i] = product;
    if (!values[i].is_zero()) product *= values[i];
  }
  F inverse = product.inverse();
  for (std::size_t i = values.size(); i-- > 0;) {
    if (values[i].is_zero()) continue;
    const F value = values[i];
    values[i] = inverse * scratch[i];
    inverse *= value;
  }
"""
SIMPLER = """  static_cast<void>(scratch);
  for (F& value : values) value = value.inverse();
"""


def sources(folder, seed=1):
    repository, draw, guilty = Repository(folder), random.Random(seed), None
    os.makedirs(repository.path("prover/field"))
    for name in HEADERS:
        shutil.copy(os.path.join(FIELD, f"{name}.hpp"), repository.path("prover/field"))
    repository.write("bench.cpp", PROGRAM)
    repository.commit("Field arithmetic")
    for number in range(1, COMMITS + 1):
        if number == AT:
            repository.replace("prover/field/field.hpp", MANY, SIMPLER)
            guilty = repository.commit("invert_all: simpler")
            continue
        header = draw.choice(HEADERS)
        repository.write(f"prover/field/{header}.hpp", f"// {number}: read again.\n", "a")
        repository.commit(f"{header}: read again")
    return repository, guilty


def slow_function(lab):
    """The truth of its size is measured beside it: the program of the culprit and of its parent, by turns."""
    repository, guilty = sources(os.path.join(lab.folder, "sources"))
    build = "${CXX:-c++} -std=c++20 -O2 -I. -o bench bench.cpp"
    answer = bisect(lab, repository, "--build", build, command=("./bench",))
    programs = []
    for commit in (f"{guilty}~1", guilty):
        repository.git("checkout", "-q", commit)
        programs.append(repository.path(f"bench-{len(programs)}"))
        subprocess.run(f"{build} && mv bench {programs[-1]}", shell=True, check=True, cwd=repository.folder)
    ratio = rounds.ratio(*lab.brute([[p] for p in programs], 30, 30), "cpu")
    return judge(answer, repository, guilty, truth_of(repository, guilty, "invert_all: simpler", percent(ratio[0])))
