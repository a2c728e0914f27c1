# SPDX-License-Identifier: Apache-2.0
"""docs/manual/prover.md, the steps that need circom and snarkjs: its files (```circom NAME, ```json NAME) and its commands (```sh), all
of one shell, as a reader would type them. Packages are not installed again: those of the work folder are used."""
import os
import re
import shutil

import peers
from cases import expect

PAGE = peers.HERE.parent.parent / "docs" / "manual" / "prover.md"
BLOCK = re.compile(r"^```(circom|json|sh)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# What only fetches programs, and is there already.
FETCHES = re.compile(r"^(npm install|npm i) .*$", re.MULTILINE)


def run(cases):
    folder = cases.folder
    # circom's file system ends at the folder, so its sources are copied.
    modules = folder / "node_modules"
    shutil.copytree(cases.made.tools.modules / "circomlib", modules / "circomlib")
    (modules / ".bin").symlink_to(cases.made.tools.modules / ".bin")
    blocks = BLOCK.findall(PAGE.read_text())
    commands = "".join(text for kind, _, text in blocks if kind == "sh")
    with cases.case(f"{PAGE.name}: there are files and commands for circom and snarkjs"):
        expect(f"{len(blocks)} blocks", {kind for kind, _, _ in blocks} == {"circom", "json", "sh"})
        for kind, name, text in blocks:
            if kind != "sh":
                (folder / name).write_text(text)
    with cases.case(f"{PAGE.name}: they all work"):
        path = os.pathsep.join([str(cases.prover.path.parent), os.environ["PATH"]])
        script = FETCHES.sub("", commands)
        peers.must(peers.run(["bash", "-exc", script], cwd=folder, env={**os.environ, "PATH": path}))
        for name in ("proof.json", "public.json", "verification_key.json"):
            cases.prover.must("info", folder / name)
    with cases.case(f"{PAGE.name}: snarkjs accepts the proof that they made"):
        cases.snarkjs_verifies(folder / "verification_key.json", folder / "public.json", folder / "proof.json")
