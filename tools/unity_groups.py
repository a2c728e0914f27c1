#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which sources of a target may share a translation unit: those whose unnamed namespaces have no name in common.

usage: unity_groups.py SIZE FILE...

Prints a line a group, `;` between its files, at most SIZE files each. Files that must stand alone are left out. Sources keep the short
names that they would have alone (kLevel, row_text), and a name that two files use keeps them apart. Called by cmake/AssayTargets.cmake
for builds with ASSAY_UNITY.
"""
import pathlib
import re
import sys

# What a line at the left margin of an unnamed namespace declares; the formatter puts everything else further right.
DECLARATIONS = [re.compile(pattern) for pattern in (
    r"(?:inline )?namespace (\w+) \{",
    r"(?:template\s*<.*>\s*)?(?:struct|class|enum class|enum|union|concept)\s+(?:alignas\(\w+\)\s*)?(\w+)",
    r"using (\w+) =",
    r"[\w:<>,&*\s\[\]().-]*?\b(\w+)\(",
    r"[\w:<>,&*\s]*?\b(\w+)(?:\[.*\])?(?: =|;|\{)",
)]
NO_NAME = re.compile(r"(?:TEST|TYPED_TEST|INSTANTIATE|template\s*<[^>]*>$|using namespace|static_assert|extern)")


USING = re.compile(r"using ((?:\w+::)+(\w+));")


def unnamed_names(text):
    """Names declared in unnamed namespaces, and file-scope macros; {name: what a using declaration means by it, else None}."""
    names, used, inside = set(re.findall(r"^\s*#\s*define\s+(\w+)", text, re.M)), {}, False
    for line in text.split("\n"):
        if line.startswith("namespace {"):
            inside = True
        elif line == "}  // namespace":
            inside = False
        elif inside and USING.match(line):
            meant, name = USING.match(line).groups()
            used[name] = meant
        elif inside and line and line[0] not in " }#/:" and not NO_NAME.match(line):
            # Constants, whatever their type looks like, and those behind a comma.
            names.update(re.findall(r"\bk[A-Z]\w*", line.split("=")[0]))
            names.update(re.findall(r"\b(k[A-Z]\w*)(?:\[[^\]]*\])? (?:=|\{)", line))
            names.update(found.group(1) for found in [next(filter(None, (d.match(line) for d in DECLARATIONS)), None)] if found)
    return used | dict.fromkeys(names)


def agree(names, others):
    """Whether no name means different things: the same using declaration may stand twice."""
    return all(names[name] is not None and names[name] == others[name] for name in names.keys() & others.keys())


def stands_alone(text):
    """A using declaration outside of functions and unnamed namespaces would reach the files behind it."""
    inside = False
    for line in text.split("\n"):
        inside = line.startswith("namespace {") or (inside and line != "}  // namespace")
        if not inside and re.match(r"using (?!\w+ =)", line):
            return True
    return False


def declared_in_headers(folder):
    """Names of the folder's headers: an unnamed one of the same name would hide them from the files behind it."""
    found = re.compile(r"^(?:struct|class|enum class|enum) (\w+)|^using (\w+) =|^[\w:<>,&*\[\] ]*?\b(\w+)\(", re.M)
    return {name for header in folder.rglob("*.hpp") for match in found.findall(header.read_text(errors="replace")) for name in match if name}


def group(files, size):
    """Lists of files: each file goes to the first group with room where none of its names is taken."""
    groups, declared = [], declared_in_headers(pathlib.Path())
    for file in files:
        path = pathlib.Path(file)
        text = path.read_text(errors="replace") if path.exists() else None  # some are made by the build
        if text is None or stands_alone(text):
            continue
        names = unnamed_names(text)
        if any(name in declared for name, meant in names.items() if meant is None):
            continue
        for members, taken in groups:
            if len(members) < size and agree(names, taken):
                members.append(file)
                taken.update(names)
                break
        else:
            groups.append(([file], names))
    return [members for members, _ in groups]


if __name__ == "__main__":
    for members in group(sys.argv[2:], int(sys.argv[1])):
        print(";".join(members))
