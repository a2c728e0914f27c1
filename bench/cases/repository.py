# SPDX-License-Identifier: Apache-2.0
"""A git repository made for a case, the same every time."""
import os
import shutil
import subprocess

EPOCH = 1_700_000_000


class Repository:
    def __init__(self, folder):
        self.folder, self.commits = folder, []
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        self.git("init", "-q", "-b", "main")

    def git(self, *words):
        variables = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        for who in ("AUTHOR", "COMMITTER"):
            variables |= {f"GIT_{who}_NAME": "lab", f"GIT_{who}_EMAIL": "lab@example.org",
                          f"GIT_{who}_DATE": f"{EPOCH + 60 * len(self.commits)} +0000"}
        return subprocess.run(["git", *words], cwd=self.folder, check=True, capture_output=True, text=True,
                              env={**os.environ, **variables}).stdout

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text, how="w"):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), how) as file:
            file.write(text)

    def replace(self, name, old, new):
        with open(self.path(name)) as file:
            text = file.read()
        if text.count(old) != 1:
            raise SystemExit(f"cases: {name} has changed: what is to be edited there is not once in it:\n{old}")
        self.write(name, text.replace(old, new))

    def commit(self, subject):
        """The id of the commit of everything as it is."""
        self.git("add", ".")
        self.git("commit", "-q", "-m", subject)
        self.commits.append(self.git("rev-parse", "HEAD").strip())
        return self.commits[-1]
