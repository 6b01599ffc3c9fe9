"""Says whether the expected texts of JinjaTemplateTests are what Jinja 3 writes (PyPI: jinja2).

    python Tests/References/jinja_templates.py
"""

import json
import pathlib
import re
import sys

from jinja2.sandbox import ImmutableSandboxedEnvironment

CHAT = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": " Hi <|end|> "},
    {"role": "assistant", "content": "Hello."},
    {"role": "user", "content": "Bye"},
]


def literal(swift):
    """The value of the string literals in a piece of Swift, joined."""
    value = ""
    pattern = r'"""\n(.*?)\n([ ]*)"""|"((?:[^"\\]|\\.)*)"'
    for match in re.finditer(pattern, swift, re.S):
        if match.group(1) is not None:
            margin = len(match.group(2))
            text = "\n".join(line[margin:] for line in match.group(1).split("\n"))
        else:
            text = match.group(3)
        value += re.sub(r"\\(.)", lambda m: "\n" if m.group(1) == "n" else m.group(1), text)
    return value


def refuse(message):
    raise ValueError(message)


folder = pathlib.Path(__file__).parent.parent
source = (folder / "GGUFRuntimeTests/JinjaTemplateTests.swift").read_text()
examples = source[source.index("static let examples") : source.index("@Test(arguments: examples)")]
environment = ImmutableSandboxedEnvironment(
    trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
)
environment.filters["tojson"] = lambda value, indent=None: json.dumps(
    value, ensure_ascii=False, indent=indent
)
failures = 0
for example in examples.split("Example(\n")[1:]:
    name, template, expected = map(
        literal,
        re.search(r"testDescription:(.*?)\btemplate:(.*?)\bexpected:(.*)", example, re.S).groups(),
    )
    written = environment.from_string(template).render(
        messages=CHAT, add_generation_prompt=True, bos_token="<s>", eos_token="</s>",
        raise_exception=refuse,
    )
    print("same" if written == expected else f"other: {written!r}", "-", name)
    failures += written != expected
sys.exit(failures > 0)
