#!/usr/bin/env python3
"""Checks values that `walks` wrote with an independent validator (pip install jsonschema-rs).

  check_walks.py --schemas SCHEMAS.jsonl [--remotes FOLDER] VALUES.jsonl

Prints every value that the validator does not take, and the sums. Counted apart are the values of a schema that the
validator cannot compile, and those with a number beyond what it can hold, which it would read as null.
"""
import argparse, json, math, os, sys
import jsonschema_rs


class Unbounded(Exception):
    """A number is beyond a double."""


def number(text):
    value = float(text)
    if math.isinf(value):
        raise Unbounded
    return value


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--schemas", action="append", required=True)
    parser.add_argument("--remotes")
    parser.add_argument("--base", default="http://localhost:1234/")
    parser.add_argument("--draft", default="2020-12")
    parser.add_argument("values", nargs="+")
    arguments = parser.parse_args()
    schemas = {}
    for path in arguments.schemas:
        for line in open(path):
            record = json.loads(line)
            schemas[record["id"]] = record["schema"]
    documents = {}
    for folder, _, names in os.walk(arguments.remotes or ""):
        for name in names:
            path = os.path.join(folder, name)
            uri = arguments.base + os.path.relpath(path, arguments.remotes)
            documents[uri] = json.load(open(path))
    registry = None
    if documents:
        registry = jsonschema_rs.Registry(list(documents.items()))
    validators, broken = {}, {}
    counts = {"valid": 0, "invalid": 0, "not compared": 0, "no JSON": 0}
    for path in arguments.values:
        for line in open(path):
            value = json.loads(line)
            name = value["id"]
            if name not in validators and name not in broken:
                schema = json.loads(schemas[name])
                kind = jsonschema_rs.Draft7Validator if arguments.draft == "7" else None
                if isinstance(schema, dict) and "$schema" in schema:
                    kind = None
                make = kind or (jsonschema_rs.validator_for if isinstance(schema, dict) and "$schema" in schema
                                else jsonschema_rs.Draft202012Validator)
                try:
                    options = {"validate_formats": True}
                    if registry is not None:
                        options["registry"] = registry
                    validators[name] = make(schema, **options)
                except Exception as error:
                    broken[name] = str(error)
            if name in broken:
                counts["not compared"] += 1
                continue
            try:
                instance = json.loads(value["text"], parse_float=number)
            except Unbounded:
                counts["not compared"] += 1
                continue
            except ValueError as error:
                counts["no JSON"] += 1
                print(f"{name} seed {value['seed']}: {error}: {value['text']}")
                continue
            failure = next(validators[name].iter_errors(instance), None)
            counts["invalid" if failure else "valid"] += 1
            if failure:
                print(f"{name} seed {value['seed']}: {str(failure).splitlines()[0][:200]}: {value['text'][:300]}")
    for name, error in broken.items():
        print(f"{name}: not compiled by the validator: {error.splitlines()[0][:160]}", file=sys.stderr)
    print(", ".join(f"{count} {kind}" for kind, count in counts.items()))


if __name__ == "__main__":
    main()
