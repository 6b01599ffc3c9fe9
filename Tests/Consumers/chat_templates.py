#!/usr/bin/env python3
"""Compare chat templates with Jinja 3 in the environment that `transformers` sets up (PyPI: jinja2).

    swift build --product espalier
    python Tests/Consumers/chat_templates.py .build/debug/espalier [--seed N] [--count N] [TEMPLATE.jinja...]

Without templates those of ../shared/data/chat-templates are taken, and the lines of chat_snippets.txt, each of which is a
template. Every conversation of chat_conversations.py is written by `espalier model prompt` and by Jinja: the bytes must be
the same, or both must refuse. Jinja's own whole numbers have no bounds; conversations do not compute with large ones.
"""

import argparse
import concurrent.futures
import datetime
import json
import pathlib
import subprocess
import sys
import tempfile

import chat_conversations
from jinja2 import exceptions, nodes
from jinja2.ext import Extension
from jinja2.sandbox import ImmutableSandboxedEnvironment

NOW = datetime.datetime(2026, 7, 4, 9, 5, 3)
FOLDER = pathlib.Path(__file__).parent
SHARED = FOLDER.parent.parent.parent / "shared/data/chat-templates"
SNIPPET_CONVERSATION = {
    "messages": [
        {"role": "user", "content": "Hi <b> 'q'", "big": 98765432109876543210},
        {"role": "assistant", "content": "Yo"},
        {"role": "user", "content": "ünï \u0001 \n x"},
    ],
    "tools": [{"a": 1}],
}


class Generation(Extension):
    """The block that marks what an assistant said, for training."""

    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return nodes.CallBlock(self.call_method("written"), [], [], body).set_lineno(line)

    def written(self, caller):
        return caller()


def to_json(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def refuse(message):
    raise exceptions.TemplateError(message)


def environment():
    result = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, "jinja2.ext.loopcontrols"]
    )
    result.filters["tojson"] = to_json
    result.globals["raise_exception"] = refuse
    result.globals["strftime_now"] = NOW.strftime
    return result


def expected(source, conversation):
    """What Jinja writes, or why it does not."""
    try:
        return environment().from_string(source).render(**conversation).encode("utf-8", "surrogatepass"), None
    except Exception as error:  # Whatever a template raises is a refusal.
        return None, f"{type(error).__name__}: {error}"


def written(command, template, conversation):
    process = subprocess.run(
        [command, "model", "prompt", template, "-", "--date", NOW.isoformat()],
        input=json.dumps(conversation, ensure_ascii=False).encode(), capture_output=True,
    )
    if process.returncode < 0:
        return None, f"ended by signal {-process.returncode}"
    return (process.stdout, None) if process.returncode == 0 else (None, process.stderr.decode().strip())


def compare(command, name, template, source, conversations):
    same = refused = 0
    others = []
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = pool.map(lambda conversation: written(command, template, conversation), conversations)
        for conversation, (ours, problem) in zip(conversations, results):
            theirs, reason = expected(source, conversation)
            if theirs is not None and ours == theirs:
                same += 1
            elif theirs is None and ours is None and "signal" not in problem:
                refused += 1
            else:
                others.append((ours if ours is not None else problem, theirs if theirs is not None else reason))
    print(f"{name}: {same} the same, {refused} refused by both, {len(others)} others")
    for ours, theirs in others[:3]:
        print(f"  ours  {ours!r:.300}\n  Jinja {theirs!r:.300}")
    return len(others)


def snippets():
    text = (FOLDER / "chat_snippets.txt").read_text()
    # A backslash at the end of a line goes on with the next.
    return [line.replace("\0", "\\\n") for line in text.replace("\\\n", "\0").split("\n") if line]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("command")
    parser.add_argument("templates", nargs="*")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=60)
    options = parser.parse_args()
    templates = options.templates or sorted(str(path) for path in SHARED.glob("*.jinja"))
    if not templates:
        print(f"skipped: no templates in {SHARED}")
    conversations = chat_conversations.conversations(options.seed, options.count)
    others = 0
    for template in templates:
        source = pathlib.Path(template).read_bytes().decode()
        others += compare(options.command, pathlib.Path(template).name, template, source, conversations)
    if not options.templates:
        with tempfile.TemporaryDirectory() as folder:
            for index, source in enumerate(snippets()):
                path = pathlib.Path(folder) / f"{index}.jinja"
                path.write_bytes(source.encode())
                others += compare(options.command, f"snippet {index + 1}", str(path), source, [SNIPPET_CONVERSATION])
    print(f"seed {options.seed}: {others} others")
    sys.exit(others > 0)


if __name__ == "__main__":
    main()
