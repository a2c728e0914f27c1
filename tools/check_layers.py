#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the folders of src/, systems/prover/ and systems/beacon/ include only what the layers.txt beside them
allows, and that no include cycle exists.

Exit 0 when clean; otherwise prints `file:line: message` for every breach and exits 1. Also warns (no
failure) about files over 400 lines, and fails for files over 700.
"""
import pathlib, re, sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Each tree of layers, with what its includes begin with: src/base/x.hpp is "base/x.hpp", but
# systems/prover/base/x.hpp is "prover/base/x.hpp".
TREES = {ROOT / "src": "", ROOT / "systems/prover": "prover/", ROOT / "systems/beacon": "beacon/"}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')
PUBLIC = re.compile(r'^\s*#\s*include\s+<(assay/[^>]+)>')  # the emitter's headers, as programs include them
PUBLIC_ROOT = "emitter/include/"


def read_layers(tree):
    allowed = {}
    for line in (tree / "layers.txt").read_text().splitlines():
        line = line.split("#")[0].strip()
        if line:
            name, _, deps = line.partition(":")
            allowed[name.strip()] = set(deps.split())
    return allowed


def read_includes(tree, prefix, errors):
    """The graph of includes within a tree; breaches go to errors."""
    allowed, graph = read_layers(tree), {}
    name = tree.relative_to(ROOT)
    for path in sorted(tree.rglob("*.[ch]pp")):
        rel = path.relative_to(tree)
        layer, lines = rel.parts[0], path.read_text().splitlines()
        if layer not in allowed:
            errors.append(f"{name}/{rel}:1: folder '{layer}' is not in {name}/layers.txt")
            continue
        if len(lines) > 700:
            errors.append(f"{name}/{rel}:1: {len(lines)} lines, the limit is 700: split it by idea")
        graph[str(rel)] = []
        for number, line in enumerate(lines, 1):
            found, public = INCLUDE.match(line), PUBLIC.match(line)
            if found and found.group(1).startswith(prefix):
                target = found.group(1)[len(prefix):]
            elif public and not prefix:
                target = PUBLIC_ROOT + public.group(1)
            elif found:
                errors.append(f"{name}/{rel}:{number}: '{found.group(1)}' is none of {name}")
                continue
            else:
                continue
            if not (tree / target).exists():
                if not (ROOT / target).exists():
                    errors.append(f"{name}/{rel}:{number}: '{target}' does not exist")
                continue
            graph[str(rel)].append(target)
            used = target.split("/")[0]
            if used != layer and used not in allowed[layer]:
                errors.append(f"{name}/{rel}:{number}: {layer} may not include {used} ({name}/layers.txt)")
    return graph


def find_cycles(graph, errors):
    done, active = set(), []

    def visit(node):
        if node in done:
            return
        if node in active:
            errors.append("include cycle: " + " -> ".join(active[active.index(node):] + [node]))
            return
        active.append(node)
        for nxt in graph.get(node, []):
            visit(nxt)
        active.pop()
        done.add(node)

    for node in graph:
        visit(node)


def main():
    errors, files = [], 0
    for tree, prefix in TREES.items():
        graph = read_includes(tree, prefix, errors)
        find_cycles(graph, errors)
        files += len(graph)
    for error in errors:
        print(error)
    print(f"{files} files, {len(errors)} breaches")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
