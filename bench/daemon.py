#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The daemon under load: many clients, cancels, clients that are killed, a SIGKILL of the daemon in the middle and a
SIGTERM later, each with a restart.

    daemon.py BIN_FOLDER [--jobs 200] [--clients 20] [--seed 1] [--quick]

Everything random follows from --seed. Afterwards it must hold, or the exit status is 1:
- every job that nobody cancelled is answered, with as many proofs as it has partitions;
- each proof verifies, and its public values are those of its own witness (none mixed up);
- a request id that was submitted several times is one job;
- nothing is in flight or reserved any more beyond what was before the first job, and resident memory is back near
  its floor (what it was after the first tenth of the jobs);
- the daemon stops on SIGTERM with status 0, and starts again with nothing left to prove.
"""
import argparse
import json
import pathlib
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time

CIRCUITS = {"small": 62, "large": 510}  # constraints of `dense`
CONFIG = """
[limits]
queue = 1000
jobs-per-client = 1000
answers = 10000
drain = "20s"
[journal]
path = "journal.db"
[engine]
partition-workers = 2
memory-budget = "512MiB"
"""
CALL_LIMIT_S = 120  # nothing here takes so long: a hang is a failure


class Failed(Exception):
    pass


class Lab:
    """A folder with keys, a configuration and the daemon that runs now."""

    def __init__(self, folder, bins):
        self.folder, self.prover, self.program = folder, bins / "prover", bins / "prover-daemon"
        self.daemon, self.log = None, open(folder / "daemon.log", "ab")
        text = f'[listen]\nsocket = "p.sock"\n{CONFIG}'
        for name, constraints in CIRCUITS.items():
            self.run(self.prover, "circuit", "dense", "--constraints", constraints, "--r1cs", f"{name}.r1cs")
            self.run(self.prover, "setup", "--seed", 1, f"{name}.r1cs", f"{name}.zkey")
            self.run(self.prover, "vkey", f"{name}.zkey", f"{name}.vkey")
            text += f'[[circuit]]\nname = "{name}"\nkey = "{name}.zkey"\nbuilder = {{ kind = "dense", constraints = {constraints} }}\n'
        (folder / "daemon.toml").write_text(text)

    def call(self, *words):
        return subprocess.run([str(w) for w in words], cwd=self.folder, capture_output=True, text=True, timeout=CALL_LIMIT_S)

    def run(self, *words):
        done = self.call(*words)
        if done.returncode != 0:
            raise Failed(f"{' '.join(map(str, words))}: {done.stderr.strip()}")
        return done.stdout

    def client(self, verb, *words):
        return self.call(self.program, verb, "--socket", "p.sock", *words)

    def start(self):
        self.daemon = subprocess.Popen([self.program, "daemon", "--config", "daemon.toml"], cwd=self.folder,
                                       stdout=self.log, stderr=self.log)
        for _ in range(600):
            if self.client("status").returncode == 0:
                return
            if self.daemon.poll() is not None:
                raise Failed("the daemon does not start: " + (self.folder / "daemon.log").read_text()[-500:])
            time.sleep(0.05)
        raise Failed("the daemon does not answer")

    def metrics(self):
        lines = self.client("status", "--metrics").stdout.splitlines()
        return {line.split()[0]: float(line.split()[1]) for line in lines if line and not line.startswith("#")}

    def witness(self, circuit, seed, name):
        """Writes a witness, and returns its public value (wire 1) as snarkjs writes it."""
        self.run(self.prover, "circuit", "dense", "--constraints", CIRCUITS[circuit], "--seed", seed, "--wtns", name)
        data, at = (self.folder / name).read_bytes(), 12
        while True:
            section, size = struct.unpack_from("<IQ", data, at)
            if section == 2:
                return str(int.from_bytes(data[at + 12 + 32:at + 12 + 64], "little"))
            at += 12 + size


class Job:
    def __init__(self, number, random_, lab):
        self.number, self.circuit = number, random_.choice(list(CIRCUITS))
        self.partitions, self.seed = random_.randint(1, 3), 1000 * number
        self.fate = random_.choices(["plain", "cancel", "kill", "tied"], [60, 15, 15, 10])[0]
        self.delay = random_.uniform(0, 0.15)
        self.out = f"out-{number}"
        names = [f"w-{number}-{i}.wtns" for i in range(self.partitions)]
        self.publics = [lab.witness(self.circuit, self.seed + i, name) for i, name in enumerate(names)]
        self.words = ["--circuit", self.circuit, "--request-id", f"r{number}", "--client", f"c{number % 20}"]
        if random_.random() < 0.5:
            self.words += ["--seed", self.seed, "--partitions", self.partitions]
        else:
            self.words += [word for name in names for word in ("--witness", name)]
        self.id, self.ended = None, None


def persist(call, job):
    """Repeats a call while the daemon is not there."""
    for _ in range(400):
        done = call()
        if done.returncode == 0 or not any(w in done.stderr for w in ("no daemon answers", "daemon stops", "is stopping")):
            return done
        time.sleep(0.05)
    raise Failed(f"job {job.number}: the daemon did not come back")


def kill_soon(lab, job, *words):
    process = subprocess.Popen([str(w) for w in (lab.program, "submit", "--socket", "p.sock", *job.words, *words)],
                               cwd=lab.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(job.delay)
    process.send_signal(signal.SIGKILL)
    process.wait()


def live(lab, job):
    """One job, as a client of its kind lives through it."""
    if job.fate == "tied":
        kill_soon(lab, job, "--tied")
        job.ended = "given up"
        return
    if job.fate == "kill":
        kill_soon(lab, job, "--wait")
    done = persist(lambda: lab.client("submit", *job.words), job)
    if done.returncode != 0:
        raise Failed(f"job {job.number}: {done.stderr.strip()}")
    job.id = done.stdout.strip()
    again = persist(lambda: lab.client("submit", *job.words), job)
    if again.stdout.strip() != job.id:
        raise Failed(f"job {job.number}: its request id is two jobs, {job.id} and {again.stdout.strip()}{again.stderr.strip()}")
    if job.fate == "cancel":
        time.sleep(job.delay / 5)
        persist(lambda: lab.client("cancel", job.id), job)
    done = persist(lambda: lab.client("await", job.id, "--out", job.out), job)
    if done.returncode == 0:
        job.ended = "done"
    elif job.fate == "cancel" and "cancel" in done.stderr:
        job.ended = "cancelled"
    else:
        raise Failed(f"job {job.number} ({job.id}): {done.stderr.strip()}")


def check_answers(lab, job):
    folder = lab.folder / job.out
    for i in range(job.partitions):
        part = "" if job.partitions == 1 else f"-{i}"
        publics = json.loads((folder / f"public{part}.json").read_text())
        if publics != [job.publics[i]]:
            raise Failed(f"job {job.number}: partition {i} has the public values of another witness")
        lab.run(lab.prover, "verify", f"{job.circuit}.vkey", f"{job.out}/public{part}.json", f"{job.out}/proof{part}.json")
    if len(list(folder.glob("proof*.json"))) != job.partitions:
        raise Failed(f"job {job.number}: more proofs than partitions")


def run_clients(lab, jobs, count, ends):
    """`count` clients take the jobs in turn; before each job in `ends` the daemon gets that signal, and is started again."""
    lock, failures, left = threading.Lock(), [], list(reversed(jobs))

    def client():
        while True:
            with lock:
                if not left or failures:
                    return
                job = left.pop()
                if job.number in ends:
                    lab.daemon.send_signal(ends[job.number])
                    threading.Timer(0.2, restart).start()
            try:
                live(lab, job)
            except (Failed, subprocess.TimeoutExpired) as error:
                with lock:
                    failures.append(str(error))

    def restart():
        try:
            lab.daemon.wait(timeout=CALL_LIMIT_S)
            lab.start()
        except (Failed, subprocess.TimeoutExpired) as error:
            failures.append(str(error))

    clients = [threading.Thread(target=client) for _ in range(count)]
    for one in clients:
        one.start()
    for one in clients:
        one.join()
    if failures:
        raise Failed("; ".join(failures[:3]))


def settle(lab):
    """Waits until nothing is pending."""
    for _ in range(1200):
        now = lab.metrics()
        if now["prover_jobs_pending"] == 0 and now["prover_partitions_in_flight"] == 0:
            return now
        time.sleep(0.05)
    raise Failed("jobs are pending that nobody waits for any more")


def check_floor(lab, resident_floor):
    for name in CIRCUITS:
        lab.client("evict", name)
    now = settle(lab)
    for name in ("prover_witness_bytes", "prover_permits_taken", "prover_answers_unsaved"):
        if now[name] != 0:
            raise Failed(f"{name} is {now[name]} at the end")
    fixed = now["prover_memory_fixed_bytes"]
    accounted = now["prover_memory_reserved_bytes"] - now["prover_memory_unaccounted_bytes"]
    # What a daemon reserves for itself is measured at its start: it may differ after a restart.
    if accounted != fixed:
        raise Failed(f"{accounted:.0f} bytes are reserved at the end, {fixed:.0f} of them for the daemon")
    grown = (now["prover_memory_resident_bytes"] - resident_floor) / 2**20
    if grown > 48:
        raise Failed(f"resident memory grew by {grown:.0f} MiB")
    return grown


def stop(lab):
    lab.daemon.terminate()
    if lab.daemon.wait(timeout=CALL_LIMIT_S) != 0:
        raise Failed(f"the daemon ended with status {lab.daemon.returncode} on SIGTERM")


def load(lab, jobs, clients):
    lab.start()
    begun = time.monotonic()
    warm = max(2, len(jobs) // 10)
    run_clients(lab, jobs[:warm], clients, {})
    resident_floor = settle(lab)["prover_memory_resident_bytes"]
    run_clients(lab, jobs[warm:], clients, {len(jobs) // 2: signal.SIGKILL, len(jobs) * 3 // 4: signal.SIGTERM})
    took = time.monotonic() - begun
    grown = check_floor(lab, resident_floor)
    for job in jobs:
        if job.ended == "done":
            check_answers(lab, job)
    ids = [job.id for job in jobs if job.id]
    if len(set(ids)) != len(ids):
        raise Failed("two jobs have one id")
    stop(lab)
    lab.start()
    left = lab.metrics()["prover_jobs_pending"]
    stop(lab)
    if left != 0:
        raise Failed(f"{left:.0f} jobs are left after the restart")
    ended = {fate: sum(job.ended == fate for job in jobs) for fate in ("done", "cancelled", "given up")}
    proofs = sum(job.partitions for job in jobs if job.ended == "done")
    print(f"{len(jobs)} jobs of {clients} clients in {took:.1f} s, the daemon killed once and stopped once: {ended['done']} answered with "
          f"{proofs} proofs, all verified with their own publics; {ended['cancelled']} cancelled, {ended['given up']} given up "
          f"by killed clients; resident memory {grown:+.0f} MiB")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bins", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=200)
    parser.add_argument("--clients", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="24 jobs of 4 clients")
    options = parser.parse_args()
    if options.quick:
        options.jobs, options.clients = 24, 4
    bins = options.bins.resolve()
    if not (bins / "prover-daemon").exists():
        print("skipped: prover-daemon is not built (packages/prover.txt)")
        return 77
    folder, lab = pathlib.Path(tempfile.mkdtemp(prefix="prover-load-")), None
    try:
        lab = Lab(folder, bins)
        random_ = random.Random(options.seed)
        load(lab, [Job(number, random_, lab) for number in range(options.jobs)], options.clients)
        return 0
    except Failed as failure:
        print(f"daemon.py: seed {options.seed}: {failure}", file=sys.stderr)
        print((folder / "daemon.log").read_text()[-2000:], file=sys.stderr)
        return 1
    finally:
        if lab and lab.daemon and lab.daemon.poll() is None:
            lab.daemon.kill()
            lab.daemon.wait()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
