#!/usr/bin/env python3
"""Kill processes that write conversations, at random moments, and look for what was acknowledged.

    swift build -c release --package-path Benchmarks --product conversations
    python Tests/Consumers/conversations/kills.py [--kills 200] [--seed N] [--sqlite]

Two processes write to one store. Each says what was acknowledged. At a random moment one of them or both are killed (SIGKILL). Then a
reader must find every conversation and every record that was acknowledged, each record whole, and the next writers go on.
With root's rights a full disk is tried too: a store on a small tmpfs must give an error, and be readable after it.
"""
import argparse, os, random, signal, subprocess, sys, tempfile, threading, time


class Writer:
    def __init__(self, command, folder, name):
        self.name = name
        self.process = subprocess.Popen(
            [command[0], "write", folder, "--name", name, *command[1:]], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.lines = []
        self.thread = threading.Thread(target=lambda: self.lines.extend(self.process.stdout))
        self.thread.start()

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        return self.end()

    def end(self):
        self.process.wait()
        self.thread.join()
        problem = self.process.stderr.read()
        # The last line may be cut off by the kill.
        return [line.split() for line in self.lines if line.endswith("\n")], problem


def stored(command, folder):
    done = subprocess.run([command[0], "check", folder, *command[1:]], capture_output=True, text=True)
    if done.returncode:
        return None, done.stderr
    titles, entries = {}, {}
    for line in done.stdout.splitlines():
        kind, identity, *rest = line.split()
        if kind == "conversation":
            titles[identity] = " ".join(rest)
        else:
            entries[identity, rest[0]] = int(rest[1])
    return (titles, entries), ""


def make(command, folder):
    """A store that is there: a writer is stopped once it has said something."""
    writer = Writer(command, folder, "first")
    while not writer.lines and writer.process.poll() is None:
        time.sleep(0.01)
    lines, problem = writer.kill()
    if problem.strip():
        sys.exit(f"The first writer failed: {problem.strip()[:300]}")
    return lines


def check(found, acknowledged):
    titles, entries = found
    problems = []
    for kind, identity, *rest in acknowledged:
        if identity not in titles:
            problems.append(f"{identity} is lost")
        elif kind == "appended":
            expected = 2 + int(rest[0].rsplit("-", 1)[1]) % 7
            if entries.get((identity, rest[0])) != expected:
                problems.append(f"{rest[0]}: {entries.get((identity, rest[0]))} entries of {expected}")
    for (identity, tag), count in entries.items():
        if count != 2 + int(tag.rsplit("-", 1)[1]) % 7:
            problems.append(f"{tag} has {count} entries")
    return problems


def full_disk(command):
    with tempfile.TemporaryDirectory() as place:
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", place], capture_output=True).returncode:
            return print("full disk: skipped, a tmpfs cannot be mounted") or 0
        try:
            writer = Writer(command, place + "/store", "full")
            lines, problem = writer.end()
            found, error = stored(command, place + "/store")
            if "no room left" not in problem or found is None:
                print(f"full disk: FAILED: {problem} {error}")
                return 1
            problems = check(found, [line for line in lines if line[0] != "renamed"])
            print(f"full disk: {len(lines)} acknowledged, then '{problem.strip().splitlines()[-1][:120]}', {len(problems)} lost")
            return 1 if problems else 0
        finally:
            subprocess.run(["umount", place])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--command", default="Benchmarks/.build/release/conversations")
    parser.add_argument("--sqlite", action="store_true", help="the store in SQLite: build with --traits SQLite")
    arguments = parser.parse_args()
    command = [arguments.command] + (["--sqlite"] if arguments.sqlite else [])
    print(f"seed {arguments.seed}")
    chance = random.Random(arguments.seed)
    kills, bad, round = 0, 0, 0
    with tempfile.TemporaryDirectory() as place:
        folder = place + "/store"
        acknowledged = make(command, folder)
        while kills < arguments.kills:
            writers = [Writer(command, folder, f"{round}{side}") for side in "ab"]
            # Not before they write: a busy machine takes long to start a process.
            deadline = time.monotonic() + chance.choice([0, 5])
            while time.monotonic() < deadline and not all(writer.lines for writer in writers):
                time.sleep(0.001)
            time.sleep(chance.uniform(0.005, 0.12))
            for writer in writers:
                lines, problem = writer.kill()
                kills += 1
                acknowledged += lines
                if problem.strip():
                    bad += 1
                    print(f"round {round}: a writer failed: {problem.strip()[:300]}")
                time.sleep(chance.uniform(0, 0.01))
            found, error = stored(command, folder)
            problems = [error] if found is None else check(found, acknowledged)
            bad += len(problems)
            for problem in problems[:5]:
                print(f"round {round}: {problem[:300]}")
            if problems:
                break
            round += 1
            # A store of a reasonable size, as what was acknowledged is looked for each time.
            if round % 10 == 0:
                folder = f"{place}/store{round}"
                counted = len(acknowledged)
                acknowledged = make(command, folder)
                print(f"{kills} kills, {counted} acknowledged", flush=True)
    bad += full_disk(command) if os.geteuid() == 0 else 0
    print(f"{kills} kills, {bad} problems")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
