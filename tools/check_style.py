#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Says where the sources leave the budgets of CONTRIBUTING.md. Warns only: exit 0 whatever it finds.

Budgets: median file <= 120 lines, 90 % <= 400; functions over 60 lines <= 3 %, none over 120; comments in headers
>= 30 %; local includes of a file <= 8 (cli 12); tests : code >= 0.9; 100 columns.
"""
import pathlib
import re
import statistics
import sys

SRC = pathlib.Path(__file__).resolve().parent.parent / "src"
INCLUDE = re.compile(r'^#include "')
# A function's first line: at the margin, and neither a namespace nor a type, a table or a macro.
OPENER = re.compile(r"^(?!namespace|class|struct|enum|union|extern|#|//|constexpr|static const|const\b|\}).*[({,]\s*$")


def functions(lines):
    """(first line, length) of every function at the margin."""
    start = None
    for number, line in enumerate(lines, 1):
        if start is None and OPENER.match(line) and not line.startswith(" ") and "(" in line:
            start = number
        elif start is not None and line.startswith("}"):
            yield start, number - start + 1
            start = None
        elif start is not None and line.rstrip().endswith(";") and not line.startswith(" "):
            start = None


def is_comment(line):
    return line.lstrip().startswith("//")


def main():
    warnings, sizes, lengths = [], [], []
    comments = headers = tests = code = 0
    for path in sorted(p for p in SRC.rglob("*") if p.suffix in (".cpp", ".hpp", ".c", ".h")):
        lines, name = path.read_text().splitlines(), f"src/{path.relative_to(SRC)}"
        sizes.append(len(lines))
        for number, line in enumerate(lines, 1):
            if len(line) > 100:
                warnings.append(f"{name}:{number}: {len(line)} columns")
        if path.stem.endswith("_test"):
            tests += len(lines)
            continue
        code += len(lines)
        included, most = sum(bool(INCLUDE.match(line)) for line in lines), 12 if "/cli/" in name else 8
        if included > most:
            warnings.append(f"{name}:1: {included} local includes, the budget is {most}")
        if path.suffix == ".hpp":
            headers += sum(bool(line.strip()) for line in lines)
            comments += sum(is_comment(line) for line in lines)
        for start, length in functions(lines):
            lengths.append(length)
            if length > 60:
                warnings.append(f"{name}:{start}: a function of {length} lines")
    for warning in warnings:
        print(f"warning: {warning}")
    if not sizes or not lengths:
        print("no sources")
        return 0
    print(f"{len(sizes)} files: median {statistics.median(sizes):.0f} lines, "
          f"90 % under {sorted(sizes)[int(len(sizes) * 0.9)]}; {len(lengths)} functions, "
          f"{100 * sum(n > 60 for n in lengths) / len(lengths):.1f} % over 60 lines, longest {max(lengths)}; "
          f"headers {100 * comments / max(headers, 1):.0f} % comments; tests : code {tests / max(code, 1):.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
