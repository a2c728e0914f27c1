#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Keep the tables of simulated comparisons in the documents equal to what the program prints.
   simulation_tables.py ASSAY FILE...          run the commands and write what they print
   simulation_tables.py --check ASSAY FILE...  exit 1 when a document says something else
A table stands between `<!-- simulate KIND: OPTIONS -->` and `<!-- /simulate -->`; OPTIONS are those
of `assay simulate KIND`, which is shown above the table. Without KIND it is compare."""
import re, shlex, subprocess, sys

MARKED = re.compile(r"<!-- simulate( \w+)?: (.*?) -->\n.*?<!-- /simulate -->", re.DOTALL)


def fresh(assay, kind, options):
    words = ["simulate", (kind or "compare").strip(), *shlex.split(options)]
    printed = subprocess.run([assay, *words], check=True, stdout=subprocess.PIPE, text=True).stdout
    return (f"<!-- simulate{kind or ''}: {options} -->\n```\n$ assay simulate {words[1]} {options}\n"
            f"```\n\n{printed}<!-- /simulate -->")


def main(words):
    check = words[:1] == ["--check"]
    assay, *files = words[check:]
    stale = []
    for name in files:
        with open(name, encoding="utf-8") as file:
            old = file.read()
        new = MARKED.sub(lambda found: fresh(assay, *found.groups()), old)
        if new == old:
            continue
        stale.append(name)
        if not check:
            with open(name, "w", encoding="utf-8") as file:
                file.write(new)
    for name in stale:
        print(f"{name}: {'does not say what the program prints' if check else 'written'}")
    return 1 if check and stale else 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
