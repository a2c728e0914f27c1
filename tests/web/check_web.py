#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the page that `assay explain --html` fills: build = the committed web/dist/report.html is what its
sources build; report = it works in headless Chromium.

    check_web.py build|report --source ROOT --work FOLDER

Both install the packages of web/package-lock.json into FOLDER, never into the source tree. Exit 77 (skipped, with
the reason) when npm, a new enough Node, Chromium or the registry is not there.
"""
import argparse
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys

SKIPPED = 77
NODE = (20, 19)
FILES = ["package.json", "package-lock.json", ".npmrc", "vite.config.js", "index.html", "src"]
UNREACHABLE = re.compile(
    r"ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT"
    r"|code E40[137]\b|code E5\d\d\b|_CERT|npm (error|ERR!) network")


def skip(why):
    print(f"SKIPPED: {why}", flush=True)
    print("The page of explain --html was NOT checked.", flush=True)
    sys.exit(SKIPPED)


def find_node():
    for program in ("node", "npm"):
        if not shutil.which(program):
            skip(f"{program} is not installed")
    text = subprocess.run(["node", "--version"], capture_output=True, text=True).stdout.strip()
    found = re.match(r"v(\d+)\.(\d+)", text)
    if not found or tuple(map(int, found.groups())) < NODE:
        skip(f"node {text} is older than {NODE[0]}.{NODE[1]}, which Vite needs")


def find_chromium():
    for program in (os.environ.get("CHROMIUM", ""), "chromium", "chromium-browser", "google-chrome"):
        path = program and shutil.which(program)
        if path:
            return path
    skip("chromium is not installed")


def prepare(web, work):
    """A copy of the sources in `work`, with their packages; installed again only when the lock changed."""
    lock = hashlib.sha256((web / "package-lock.json").read_bytes()).hexdigest()
    stamp = work / "installed"
    work.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        target = work / name
        if target.is_dir():
            shutil.rmtree(target)
        if (web / name).is_dir():
            shutil.copytree(web / name, target)
        else:
            shutil.copy2(web / name, target)
    if stamp.exists() and stamp.read_text() == lock:
        return
    stamp.unlink(missing_ok=True)
    run = subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--fetch-retries=1"], cwd=work, capture_output=True,
                         text=True)
    if run.returncode != 0:
        text = run.stdout + run.stderr
        if UNREACHABLE.search(text):
            skip(f"npm ci cannot reach its registry:\n{text[-1500:]}")
        sys.exit(f"npm ci failed:\n{text[-4000:]}")
    stamp.write_text(lock)


def check_build(web, work):
    shutil.rmtree(work / "dist", ignore_errors=True)
    run = subprocess.run(["npm", "run", "build"], cwd=work, capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"npm run build failed:\n{(run.stdout + run.stderr)[-4000:]}")
    built = (work / "dist/report.html").read_bytes()
    committed = (web / "dist/report.html").read_bytes()
    if built != committed:
        at = next((i for i, (x, y) in enumerate(zip(built, committed)) if x != y), min(len(built), len(committed)))
        sys.exit(f"web/dist/report.html ({len(committed)} bytes) is not what its sources build ({len(built)} bytes); the "
                 f"first difference is at byte {at}. Run `npm ci && npm run build` in web/ and commit the result.")
    print(f"web/dist/report.html is what its sources build: {len(built)} bytes")


def check_report(source, web, work, chromium):
    environment = dict(os.environ, ASSAY_WEB_MODULES=str(work), ASSAY_WEB_PAGE=str(web / "dist/report.html"),
                       CHROMIUM=chromium)
    environment.setdefault("ASSAY_WEB_SHOTS", str(work / "shots"))
    run = subprocess.run(["node", "--test", str(source / "tests/web/report.test.mjs")], cwd=work, env=environment)
    print(f"screenshots: {environment['ASSAY_WEB_SHOTS']}")
    sys.exit(run.returncode)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=["build", "report"])
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    options = parser.parse_args()
    source, work = options.source.resolve(), options.work.resolve()
    web = source / "web"
    find_node()
    if options.what == "build":
        prepare(web, work)
        check_build(web, work)
    else:
        chromium = find_chromium()
        prepare(web, work)
        check_report(source, web, work, chromium)


if __name__ == "__main__":
    main()
