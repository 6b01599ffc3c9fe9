#!/usr/bin/env python3
"""Puts schemas of a workload together, two by two, with instances judged by an independent validator
(pip install jsonschema-rs).

  crossed_schemas.py --count 1000 --seed 1 --vocabulary FILE.bin SOURCE.jsonl WORKLOAD.jsonl

Real schemas are large, and each uses few keywords. Here one of them meets another with a member of the same
name, or a variant of itself, under a keyword that looks at both. The instances are those of the two, and what
becomes of them when a place is changed. `maskbench --policy validation --verdicts-only` then says which
verdicts differ. `format` is left out, since validators differ on it.
"""
import argparse, collections, copy, json, random
import jsonschema_rs
from cliffs import encode, read_vocabulary

DRAFTS = {
    4: ("http://json-schema.org/draft-04/schema#", jsonschema_rs.Draft4Validator),
    6: ("http://json-schema.org/draft-06/schema#", jsonschema_rs.Draft6Validator),
    7: ("http://json-schema.org/draft-07/schema#", jsonschema_rs.Draft7Validator),
    2019: ("https://json-schema.org/draft/2019-09/schema", jsonschema_rs.Draft201909Validator),
    2020: ("https://json-schema.org/draft/2020-12/schema", jsonschema_rs.Draft202012Validator),
}
SCALARS = [None, True, False, 0, 1, -1, 1.5, 100, "", "a", "x-y", "2020-01-01", [], {}, [1], {"a": 1}]
LONGEST_SCHEMA, LONGEST_TEXT = 100_000, 6_000
A, B = {"$ref": "https://crossed.example/a"}, {"$ref": "https://crossed.example/b"}


def without_formats(schema):
    if isinstance(schema, dict):
        return {k: without_formats(v) for k, v in schema.items() if k != "format" or not isinstance(v, str)}
    return [without_formats(v) for v in schema] if isinstance(schema, list) else schema


def draft(schema):
    names = {"draft-04": 4, "draft-06": 6, "draft-07": 7, "2019-09": 2019}
    return next((number for name, number in names.items() if name in str(schema.get("$schema"))), 2020)


def names(schema, found):
    """The names of all members that a schema declares."""
    if isinstance(schema, dict):
        for keyword, value in schema.items():
            if keyword == "properties" and isinstance(value, dict):
                found.update(value)
            names(value, found)
    elif isinstance(schema, list):
        for value in schema:
            names(value, found)
    return found


def places(value, path=()):
    yield path
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield from places(child, path + (key,))


def at(value, path):
    for key in path:
        value = value[key]
    return value


class Crossing:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.one = self.random.choice

    def changed(self, value, known):
        """A value with a place changed, removed or added."""
        value = copy.deepcopy(value)
        path = self.one(list(places(value)))
        old, new = at(value, path), copy.deepcopy(self.one(SCALARS))
        if isinstance(old, dict) and self.random.random() < 0.6:
            if old and self.random.random() < 0.5:
                del old[self.one(list(old))]
            else:
                old[self.one(known + ["x-extra"])] = new
        elif isinstance(old, list) and old and self.random.random() < 0.6:
            old.append(self.one([new, copy.deepcopy(self.one(old))]))
        elif not path:
            return new
        else:
            if isinstance(old, str) and self.random.random() < 0.5:
                new = self.one([old + "x", old.upper(), old[:-1], self.one(known)])
            at(value, path[:-1])[path[-1]] = new
        return value

    def variant(self, schema):
        """A schema in which up to three objects of it ask for something else."""
        schema = copy.deepcopy(schema)
        found = [at(schema, path) for path in places(schema)]
        objects = [x for x in found if isinstance(x, dict) and isinstance(x.get("type"), str)] or [schema]
        for _ in range(self.one([1, 2, 3])):
            part = self.one(objects)
            declared = part.get("properties") if isinstance(part.get("properties"), dict) else {}
            changes = [
                {"additionalProperties": self.one([False, {"type": "string"}])},
                {"minProperties": 1, "maxProperties": self.one([2, 4])},
                {"minItems": 1, "uniqueItems": True},
                {"pattern": self.one(["^[a-z]", "x", "^.{2,5}$"])},
                {"minimum": 0, "multipleOf": self.one([1, 0.5, 2])},
                {"type": self.one(["string", "object", "array", "integer", "null"])},
                {"patternProperties": {self.one(["^x-", "^[a-c]"]): {"type": "string"}}},
            ]
            if declared:
                changes.append({"required": [self.one(list(declared))]})
            part.update(self.one(changes))
        return schema

    def crossed(self, number, known):
        """A keyword with both schemas."""
        name = self.one(known)
        forms = [
            {"allOf": [A, B]}, {"anyOf": [A, B]}, {"oneOf": [A, B]}, {"allOf": [A, {"not": B}]},
            {"allOf": [A], "dependencies" if number < 2019 else "dependentSchemas": {name: B}},
            {"items": {"anyOf": [A, B]}, "type": "array", "uniqueItems": True},
            {"type": "object", "properties": {"p": A}, "additionalProperties": B},
        ]
        if number >= 6:
            forms += [{"items": A, "contains": B}, {"allOf": [A], "propertyNames": {"enum": known[:5]}}]
        if number >= 7:
            forms += [{"if": B, "then": A, "else": {"required": [name]}}, {"if": B, "then": A, "else": False}]
        if number >= 2019:
            forms += [
                {"allOf": [A], "unevaluatedProperties": False}, {"anyOf": [A, B], "unevaluatedProperties": False},
                {"items": A, "contains": B, "minContains": 0, "maxContains": 1},
            ]
        if number >= 2020:
            forms.append({"prefixItems": [A, B], "items": {"not": A}})
        return self.one(forms)

    def instances(self, form, first, second, known):
        """Instances of both schemas and what becomes of them, as values of the form."""
        base = self.random.sample(first, min(3, len(first))) + self.random.sample(second, min(2, len(second)))
        values = base + [self.changed(value, known) for value in base for _ in range(3)]
        if "items" in form or "prefixItems" in form:
            return [[self.one(values) for _ in range(self.one([0, 1, 2, 3]))] for _ in range(10)]
        if form.get("additionalProperties") == B:
            return [{key: self.one(values) for key in self.random.sample("pqr", 2)} for _ in range(10)]
        return values


def embedded(schema, name, number):
    own = {key: value for key, value in schema.items() if key not in ("$schema", "id", "$id")}
    return {"id" if number == 4 else "$id": f"https://crossed.example/{name}", **own}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("source")
    parser.add_argument("workload")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--vocabulary", required=True)
    arguments = parser.parse_args()
    tokens = read_vocabulary(arguments.vocabulary)
    crossing = Crossing(arguments.seed)
    rows, sharing = [], collections.defaultdict(list)
    for line in open(arguments.source):
        row = json.loads(line)
        schema = json.loads(row["schema"])
        known = sorted(names(schema, set()))
        if len(row["schema"]) > LONGEST_SCHEMA or not isinstance(schema, dict) or not known or not row["tests"]:
            continue
        for name in known:
            sharing[name].append(len(rows))
        rows.append((row["id"], without_formats(schema), known, [json.loads(t["text"]) for t in row["tests"]]))
    written, pairs = 0, 0
    with open(arguments.workload, "w") as file:
        while written < arguments.count:
            name, first, known, values = crossing.one(rows)
            second, others = crossing.variant(first), []
            if crossing.random.random() < 0.4:
                _, second, _, others = rows[crossing.one(sharing[crossing.one(known)])]
            number = draft(first) if "$schema" in first else crossing.one(list(DRAFTS))
            uri, validator = DRAFTS[number]
            form = crossing.crossed(number, known)
            parts = {"a": embedded(first, "a", number), "b": embedded(second, "b", number)}
            if number == 4 and '"const"' in json.dumps(parts):
                continue  # It counts in the engine's draft 4, too.
            schema = {"$schema": uri, **form, "$defs" if number >= 2019 else "definitions": parts}
            try:
                judge = validator(schema)
            except ValueError:
                continue  # A variant can be no schema any more.
            tests = []
            for value in crossing.instances(form, values, others, known):
                text = json.dumps(value, ensure_ascii=False)
                if len(text) <= LONGEST_TEXT:
                    tests.append({"valid": judge.is_valid(value), "text": text, "tokens": encode(text, tokens)})
            row = {"id": f"{written} {next(iter(form))} {number} {name}", "split": "crossed"}
            file.write(json.dumps({**row, "schema": json.dumps(schema), "tests": tests}) + "\n")
            written, pairs = written + 1, pairs + len(tests)
    print(f"{written} schemas, {pairs} instances")


if __name__ == "__main__":
    main()
