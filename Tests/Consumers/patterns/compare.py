#!/usr/bin/env python3
"""Compare the regular expressions of `pattern` with an ECMA-262 engine.

  compare.py [--count N] [--seed S] [--built PROGRAM] [--verbose]

Needs `pip install quickjs` (QuickJS, with the flag `u`) and builds the package beside this file. Without quickjs it says
so and ends with 0. Random patterns are held against random strings, each spelled in JSON at random (characters as
themselves, by short escapes, by `\\u` and by surrogate pairs). A pattern that one side refuses and the other does not is
counted by reason; a verdict that differs is printed and makes the exit code 1.
"""
import argparse, collections, json, pathlib, random, subprocess, sys

here = pathlib.Path(__file__).parent
ATOMS = [
    "a", "b", "é", "1", "_", " ", ".", "\\d", "\\D", "\\w", "\\W", "\\s", "\\S", "[ab]", "[^a]", "[a-c1]", "[^\\d_]", "[\\w-]",
    "\\p{L}", "\\P{L}", "\\p{Lu}", "\\p{Script=Greek}", "\\p{Nd}", "\\p{Alphabetic}", "[\\p{L}\\d]", "[^\\p{L}]", "\\u00e9", "\\x61",
    "\\u{1F600}", "\\ud83d\\ude00", "\\n", "\\t", "\\.", "\\/", "[\\b]", "\\cJ", "[]", "[^]", "\\-" , "[.]", "[a\\-z]", "\\0",
]
PIECES = ["a", "b", "c", "é", "α", "Ω", "1", "9", "_", " ", "\n", "\t", "-", ".", "/", "😀", "\\", "\"", "\u2028", "\u00a0", "\x01", "Z", "\u0301", "٣", "k", "\u212a"]


def atom(r, depth):
    kind = r.randrange(12 if depth else 7)
    if kind < 7: return r.choice(ATOMS)
    inner = disjunction(r, depth - 1)
    if kind == 7: return "(" + inner + ")"
    if kind == 8: return "(?:" + inner + ")"
    if kind == 9: return "(?=" + inner + ")" if r.random() < .5 else "(?!" + inner + ")"
    if kind == 10: return "(?<=" + inner + ")" if r.random() < .5 else "(?<!" + inner + ")"
    return "(?<n" + str(r.randrange(10 ** 9)) + ">" + inner + ")"


def term(r, depth):
    if r.random() < .12: return r.choice(["^", "$", "\\b", "\\B"])
    text = atom(r, depth)
    if r.random() < .35 and not text.startswith(("(?=", "(?!", "(?<=", "(?<!")):
        text += r.choice(["*", "+", "?", "{2}", "{1,2}", "{0,1}", "{2,}", "*?", "+?", "??", "{1,3}?"])
    return text


def disjunction(r, depth):
    return "|".join("".join(term(r, depth) for _ in range(r.randrange(0 if r.random() < .1 else 1, 4)))
                    for _ in range(1 if r.random() < .7 else 2))


def spelled(r, text):
    short = {"\"": "\\\"", "\\": "\\\\", "\n": "\\n", "\t": "\\t", "/": "\\/"}
    result = ""
    for character in text:
        kind = r.randrange(4)
        if kind == 0:
            units = character.encode("utf-16-be")
            for at in range(0, len(units), 2):
                code = "%04x" % int.from_bytes(units[at:at + 2], "big")
                result += "\\u" + (code.upper() if r.random() < .5 else code)
        elif character in short and (character != "/" or kind == 1): result += short[character]
        elif ord(character) < 32: result += "\\u%04x" % ord(character)
        else: result += character
    return "\"" + result + "\""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--built", help="the program pattern-verdicts, built before")
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    try:
        import quickjs
    except ImportError:
        print("quickjs is not installed: the comparison with an ECMA-262 engine is skipped")
        return
    r = random.Random(arguments.seed)
    questions, strings = [], []
    for _ in range(arguments.count):
        texts = ["".join(r.choice(PIECES) for _ in range(r.randrange(7))) for _ in range(20)]
        questions.append({"pattern": disjunction(r, 3), "texts": [spelled(r, text) for text in texts]})
        strings.append(texts)
    program = arguments.built
    if not program:
        subprocess.run(["swift", "build", "--package-path", str(here), "--quiet"], check=True)
        program = str(here / ".build/debug/pattern-verdicts")
    ours = subprocess.run([program], input="".join(json.dumps(q) + "\n" for q in questions), text=True,
                          stdout=subprocess.PIPE, check=True).stdout.splitlines()
    context = quickjs.Context()
    context.eval("function verdicts(p, s) { const e = new RegExp(p, 'u'); return JSON.stringify(JSON.parse(s).map(x => e.test(x))); }")
    verdicts_of = context.get("verdicts")
    both = verdicts = different = neither = 0
    matched = collections.Counter()
    refusals = collections.Counter()
    for question, texts, line in zip(questions, strings, ours):
        mine = json.loads(line)
        try:
            theirs = json.loads(verdicts_of(question["pattern"], json.dumps(texts)))
        except quickjs.JSException as error:
            if mine.get("error"): neither += 1
            else:
                refusals["read here, not there: " + str(error).split("\n")[0]] += 1
                if arguments.verbose: print(f"read here alone: {question['pattern']!r}: {error}")
            continue
        if mine.get("error"):
            reason = mine["error"].split(": ", 2)[-1].split(" at character")[0]
            # A pattern that no string matches is no fault of the reader.
            refusals["refused here: " + reason[:100]] += 1
            if arguments.verbose: print(f"refused here alone: {question['pattern']!r}: {mine['error']}")
            continue
        both += 1
        for text, spelling, a, b in zip(texts, question["texts"], mine["verdicts"], theirs):
            verdicts += 1
            matched[b] += 1
            if a != b:
                different += 1
                print(f"judged otherwise: {question['pattern']!r} {text!r} as {spelling}: ours {a}, theirs {b}")
    print(f"{both} patterns read by both, {verdicts} verdicts ({matched[True]} matches), {different} differ; {neither} refused by both")
    for reason, count in refusals.most_common(): print(f"  {count} {reason}")
    sys.exit(1 if different else 0)


main()
