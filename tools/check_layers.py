#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the folders of src/ include only what src/layers.txt allows, and that no include cycle exists.

Exit 0 when clean; otherwise prints `file:line: message` for every breach and exits 1. Also warns (no
failure) about files over 400 lines, and fails for files over 700.
"""
import pathlib, re, sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SRC = ROOT / "src"
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')
PUBLIC = re.compile(r'^\s*#\s*include\s+<(assay/[^>]+)>')  # the emitter's headers, as programs include them
PUBLIC_ROOT = "emitter/include/"


def read_layers():
    allowed = {}
    for line in (SRC / "layers.txt").read_text().splitlines():
        line = line.split("#")[0].strip()
        if line:
            name, _, deps = line.partition(":")
            allowed[name.strip()] = set(deps.split())
    return allowed


def main():
    allowed, errors, graph = read_layers(), [], {}
    for path in sorted(SRC.rglob("*.[ch]pp")):
        rel = path.relative_to(SRC)
        layer, lines = rel.parts[0], path.read_text().splitlines()
        if layer not in allowed:
            errors.append(f"src/{rel}:1: folder '{layer}' is not in src/layers.txt")
            continue
        if len(lines) > 700:
            errors.append(f"src/{rel}:1: {len(lines)} lines, the limit is 700: split it by idea")
        graph[str(rel)] = []
        for number, line in enumerate(lines, 1):
            found, public = INCLUDE.match(line), PUBLIC.match(line)
            if not found and not public:
                continue
            target = found.group(1) if found else PUBLIC_ROOT + public.group(1)
            if not (SRC / target).exists():
                if not (ROOT / target).exists():
                    errors.append(f"src/{rel}:{number}: '{target}' does not exist")
                continue
            graph[str(rel)].append(target)
            used = target.split("/")[0]
            if used != layer and used not in allowed[layer]:
                errors.append(f"src/{rel}:{number}: {layer} may not include {used} (src/layers.txt)")
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
    for error in errors:
        print(error)
    print(f"{len(graph)} files, {len(errors)} breaches")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
