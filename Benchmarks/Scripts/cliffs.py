#!/usr/bin/env python3
"""Whether cost grows with the schema and the text, and no faster.

Large schemas of common idioms, each at a size and at twice that size, go through `maskbench`: compile, first
mask, every mask and step of one valid text, and the memory of the process. A ratio near 2 is linear.

    swift build -c release --package-path Benchmarks --product maskbench
    python3 Benchmarks/Scripts/cliffs.py --maskbench Benchmarks/.build/release/maskbench --vocabulary FILE.bin
"""

import argparse
import json
import struct
import subprocess
import tempfile


def read_vocabulary(path):
    """Texts of tokens to ids, without the special ones."""
    data = open(path, "rb").read()
    count = struct.unpack_from("<I", data, 4)[0]
    at, tokens = 12, {}
    for token in range(count):
        special, length = struct.unpack_from("<BH", data, at)
        text = data[at + 3 : at + 3 + length]
        at += 3 + length
        if not special & 1 and text:
            tokens.setdefault(text, token)
    return tokens


def encode(text, tokens):
    """A text as the longest tokens, one after the other."""
    text, result, at = text.encode(), [], 0
    while at < len(text):
        for length in range(min(32, len(text) - at), 0, -1):
            if (token := tokens.get(text[at : at + length])) is not None:
                break
        result.append(token)
        at += length
    return result


def objects(n):
    values = [{"id": i, "name": f"n{i}"} for i in range(n)]
    return {"enum": values}, values[n // 2]


def required(n):
    names = [f"key{i}" for i in range(n)]
    schema = {"type": "object", "properties": {x: {"type": "integer"} for x in names}, "required": names}
    return schema, {x: 1 for x in names}


class Spelled(str):
    """A value as JSON spells it: to read and write a long number would take Python longer than the engine."""


def digits(n):
    return {"type": "integer", "multipleOf": 7}, Spelled("7" * n)


def zeros(n):
    return {"type": "number", "multipleOf": 0.01}, Spelled("1" + "0" * n)


def decimals(n):
    return {"type": "number", "minimum": 0.5}, Spelled("1." + "0" * n)


def long_strings(n):
    schema = {"type": "array", "uniqueItems": True, "items": {"type": "string"}}
    return schema, [f"{i}" + "a" * n for i in range(10)]


def patterned_strings(n):
    schema = {"type": "array", "uniqueItems": True, "items": {"type": "string", "pattern": "^[^,]+$"}}
    return schema, ["abcd efgh " * (n // 10), "x"]


def bounded_strings(n):
    schema = {"type": "array", "uniqueItems": True, "items": {"type": "string", "maxLength": 64}}
    return schema, [f"Some text {i}" for i in range(n)]


def far_bounds(n):
    schema = {"type": "string", "pattern": "arn:.*", "minLength": 20, "maxLength": n}
    return schema, "arn:aws:iam::123456789012:role/" + "a" * (n // 2)


def integers(n):
    return {"type": "array", "uniqueItems": True, "items": {"type": "integer"}}, list(range(n))


def names_with_bounds(n):
    return {"type": "object", "propertyNames": {"maxLength": n}}, {"abc": 1, "def": {"g": 2}}


def conditions(n):
    branches = [
        {"if": {"properties": {"type": {"const": f"t{i}"}}}, "then": {"required": [f"k{i}"]}} for i in range(n)
    ]
    properties = {"type": {"enum": [f"t{i}" for i in range(n)]}}
    schema = {"type": "object", "properties": properties, "required": ["type"], "allOf": branches}
    return schema, {"type": f"t{n // 2}", f"k{n // 2}": 1}


def patterns(n):
    schema = {"type": "object", "patternProperties": {f"^k{i}_": {"type": "integer"} for i in range(n)}}
    return schema, {f"k{n // 2}_a": 1, "other": "x"}


def contains(n):
    return {"type": "array", "allOf": [{"contains": {"const": i}} for i in range(n)]}, list(range(n))


def clauses(n):
    parts = [{"anyOf": [{"required": [f"a{i}"]}, {"required": [f"b{i}"]}]} for i in range(n)]
    return {"type": "object", "allOf": parts}, {f"a{i}": 1 for i in range(n)}


def contains_many(n):
    return {"type": "array", "contains": {"type": "integer"}, "minContains": n}, [1] * n


def contains_between(n):
    schema = {"type": "array", "contains": {"type": "integer", "minimum": 5}, "minContains": n, "maxContains": 2 * n}
    return schema, [7] * n


def listed_keys(n):
    names = [f"key{i}" for i in range(n)]
    return {"type": "object", "propertyNames": {"enum": names}}, {name: 1 for name in names}


def left_over(n):
    branches = [
        {
            "if": {"properties": {"kind": {"const": f"k{i}"}}, "required": ["kind"]},
            "then": {"properties": {f"v{i}": {"type": "string"}}},
        }
        for i in range(n)
    ]
    schema = {"properties": {"kind": {"type": "string"}}, "allOf": branches, "unevaluatedProperties": False}
    return schema, {"kind": f"k{n // 2}", f"v{n // 2}": "x"}


def left_over_of_any(n):
    branches = [{"properties": {f"p{i}": {"type": "integer"}}, "required": [f"p{i}"]} for i in range(n)]
    return {"anyOf": branches, "unevaluatedProperties": False}, {f"p{n // 2}": 1}


def overlapping(n):
    branches = [
        {"properties": {f"v{i}": {"type": "string"}, "n": {"type": "integer"}}, "additionalProperties": False}
        for i in range(n)
    ]
    return {"type": "object", "oneOf": branches}, {f"v{n // 2}": "x"}


def defaulted(n):
    shared = {"key": {"type": "string"}, "tags": {"type": "array", "items": {"type": "string"}}}
    branches = [
        {"properties": {"type": {"const": f"t{i}"}, "params": {"$ref": f"#/$defs/p{i}"}, **shared}, "required": ["params"]}
        for i in range(n)
    ]
    definitions = {
        f"p{i}": {"type": "object", "properties": {f"a{i}": {"type": "string"}}, "required": [f"a{i}"]} for i in range(n)
    }
    value = {"params": {f"a{n // 2}": "x"}, "type": f"t{n // 2}", "key": "k"}
    return {"type": "object", "oneOf": branches, "$defs": definitions}, value


def counted(n):
    return {"type": "string", "pattern": f"^[a-z][a-z0-9_-]{{0,{n}}}$"}, "function_name-" * (n // 14)


def counted_words(n):
    return {"type": "string", "pattern": "^([a-z]{1,%d}, ){0,9}[a-z]{1,%d}$" % (n, n)}, "red, green, blue"


def constants(n):
    return {"oneOf": [{"const": f"code {i}", "title": f"Code {i}"} for i in range(n)]}, f"code {n // 2}"


def tagged_tuples(n):
    tuples = [
        {"type": "array", "prefixItems": [{"const": f"t{i}"}, {"type": "integer"}], "minItems": 2} for i in range(n)
    ]
    return {"oneOf": tuples}, [f"t{n // 2}", 1]


def settings(n, last):
    return {"properties": {f"s{i}": {"type": "string"} for i in range(n)} | {"version": last}}


def variants(n):
    pattern = {"type": "array", "items": {"type": "integer"}}
    value = {f"s{i}": "x" for i in range(0, n, 7)} | {"version": [1, 2]}
    return {"type": "object", "oneOf": [settings(n, pattern), settings(n, {"type": "string"})]}, value


def met_or_nothing(n):
    then = {"properties": {"s1": {"enum": ["a", "b"]}}, "additionalProperties": False}
    return {"type": "object", "if": settings(n, {"type": "string"}), "then": then, "else": False}, {"s1": "b"}


def password(n):
    return {"type": "string", "pattern": "^(?=.*[A-Z])(?=.*[a-z])(?=.*[0-9]).{8,%d}$" % n}, "Passw0rd!xyz"


def host(n):
    return {"type": "string", "format": "idn-hostname"}, ".".join(["www", *["exämple-höst"] * n, "de"])


CASES = {
    "enum of N objects": (objects, 50_000),
    "N required properties": (required, 10_000),
    "a number of N digits under multipleOf": (digits, 500_000),
    "1 and N zeros under multipleOf": (zeros, 500_000),
    "N zeros behind the point under minimum": (decimals, 500_000),
    "ten strings of N characters that must differ": (long_strings, 50_000),
    "a string of N characters with a pattern, and another one": (patterned_strings, 1_000),
    "N short strings with a bound that must differ": (bounded_strings, 100),
    "a pattern beside a length of at most N": (far_bounds, 1_000),
    "N integers that must differ": (integers, 10_000),
    "propertyNames of at most N characters": (names_with_bounds, 500_000_000),
    "N conditions on a constant": (conditions, 500),
    "N patternProperties": (patterns, 5_000),
    "N times contains": (contains, 100),
    "allOf of N independent clauses": (clauses, 250),
    "minContains of N": (contains_many, 2_000),
    "minContains of N, maxContains of 2 N": (contains_between, 1_000),
    "N keys out of a list of N": (listed_keys, 2_000),
    "N conditions beside unevaluatedProperties": (left_over, 50),
    "anyOf of N branches beside unevaluatedProperties": (left_over_of_any, 50),
    "oneOf of N branches that overlap": (overlapping, 50),
    "oneOf of N branches whose discriminator has a default": (defaulted, 50),
    "a pattern of at most N characters": (counted, 1_000),
    "a pattern of words of at most N letters": (counted_words, 50),
    "oneOf of N constants": (constants, 4_000),
    "oneOf of N tagged tuples": (tagged_tuples, 100),
    "oneOf of two variants of N properties": (variants, 100),
    "N properties under a condition without which nothing holds": (met_or_nothing, 30),
    "a password of at most N characters": (password, 64),
    "an international host name of N labels": (host, 4),
}


def measure(arguments, tokens, make, size):
    schema, value = make(size)
    text = value if isinstance(value, Spelled) else json.dumps(value)
    test = {"valid": True, "text": "", "tokens": encode(text, tokens)}
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file, tempfile.NamedTemporaryFile("r") as out:
        file.write(json.dumps({"id": "x", "split": "x", "schema": json.dumps(schema), "tests": [test]}) + "\n")
        file.flush()
        command = [arguments.maskbench, "--workload", file.name, "--vocabulary", arguments.vocabulary]
        command += ["--clock", "wall", "--max-tokens", "10000000", "--out", out.name]
        try:
            subprocess.run(command, timeout=arguments.timeout, check=True, stdout=subprocess.DEVNULL)
        except (subprocess.TimeoutExpired, subprocess.CalledProcessError) as error:
            return type(error).__name__
        result = json.load(out)
    head, schema = result["summary"], result["schemas"][0]
    if schema.get("compile_error") or schema["false_reject"]:
        return (schema.get("compile_error") or str(schema["false_reject"]))[:90]
    steps = schema["step_ns"]
    return {
        "compile": schema["compile_ns"] / 1e6,
        "first mask": (schema["ttfm_ns"] - schema["compile_ns"]) / 1e6,
        "reading": sum(steps) / 1e6,
        "longest step": max(steps) / 1e6,
        "memory": head["peak_rss_mb"] - head["rss_after_init_mb"],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--maskbench", required=True)
    parser.add_argument("--vocabulary", required=True)
    parser.add_argument("--only", default="", help="take only the cases whose name has this in it")
    parser.add_argument("--timeout", type=float, default=60, help="seconds for one run")
    arguments = parser.parse_args()
    tokens = read_vocabulary(arguments.vocabulary)
    for name, (make, size) in CASES.items():
        if arguments.only not in name:
            continue
        print(name)
        runs = [measure(arguments, tokens, make, size * factor) for factor in (1, 2)]
        for factor, run in zip((1, 2), runs):
            if isinstance(run, str):
                print(f"  N = {size * factor}: {run}")
        if any(isinstance(run, str) for run in runs):
            continue
        for key, one in runs[0].items():
            two, unit = runs[1][key], "MB" if key == "memory" else "ms"
            print(f"  {key:13} {one:10.2f} {two:10.2f} {unit}  x {two / max(one, 0.01):.1f}")


if __name__ == "__main__":
    main()
