#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which sources of a target may share a translation unit: those whose unnamed namespaces have no name in common.

usage: unity_groups.py SIZE FILE...

Prints a line a group, `;` between its files, at most SIZE files each. A file that does not exist yet is left out. Sources keep the short names that they would have alone (kLevel,
row_text), and a name that two files use keeps them apart. Called by cmake/AssayTargets.cmake for builds with ASSAY_UNITY.
"""
import pathlib
import re
import sys

# What a line at the left margin of an unnamed namespace declares; the formatter puts everything else further right.
DECLARATIONS = [re.compile(pattern) for pattern in (
    r"(?:inline )?namespace (\w+) \{",
    r"(?:template\s*<.*>\s*)?(?:struct|class|enum class|enum|union|concept)\s+(?:alignas\(\w+\)\s*)?(\w+)",
    r"using (\w+) =",
    r"using (?:\w+::)+(\w+);",
    r"[\w:<>,&*\s]*?\b(k[A-Z]\w*)\b",
    r"[\w:<>,&*\s\[\]().-]*?\b(\w+)\(",
    r"[\w:<>,&*\s]*?\b(\w+)(?:\[.*\])?(?: =|;|\{)",
)]
NO_NAME = re.compile(r"(?:TEST|TYPED_TEST|INSTANTIATE|template\s*<[^>]*>$|using namespace|static_assert|extern)")


def unnamed_names(text):
    """Names declared in unnamed namespaces, and file-scope macros."""
    names, inside = set(re.findall(r"^\s*#\s*define\s+(\w+)", text, re.M)), False
    for line in text.split("\n"):
        if line.startswith("namespace {"):
            inside = True
        elif line == "}  // namespace":
            inside = False
        elif inside and line and line[0] not in " }#/:" and not NO_NAME.match(line):
            names.update(found.group(1) for found in [next(filter(None, (d.match(line) for d in DECLARATIONS)), None)] if found)
    return names


def group(files, size):
    """[(files, names)]: each file goes to the first group with room where none of its names is taken."""
    groups = []
    for file in files:
        if not pathlib.Path(file).exists():  # made later, by the build
            continue
        names = unnamed_names(pathlib.Path(file).read_text(errors="replace"))
        for members, taken in groups:
            if len(members) < size and not taken & names:
                members.append(file)
                taken |= names
                break
        else:
            groups.append(([file], names))
    return [members for members, _ in groups]


if __name__ == "__main__":
    for members in group(sys.argv[2:], int(sys.argv[1])):
        print(";".join(members))
