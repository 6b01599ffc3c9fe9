#!/usr/bin/env python3
"""Writes random schemas with instances judged by an independent validator (pip install jsonschema-rs).

  random_schemas.py --count 4000 --seed 1 --vocabulary FILE.bin WORKLOAD.jsonl

The schemas put the keywords of draft 2020-12 together in ways that people would not; the instances are
random values over the same few names and scalars. `maskbench --policy validation` then says which
verdicts differ, and `walks --all` whether a mask leads to a dead end.
"""
import argparse, json, random, struct
import jsonschema_rs

NAMES = ["a", "b", "ab", "c"]
SCALARS = [None, True, False, 0, 1, 2, 3, -1, 1.5, 0.1, 10, "", "a", "b", "ab", "aa", "abc", "é"]
OTHER_TYPES = ["null", "boolean", "string", "integer", "object", "array"]
LEAVES = [True, True, False, {}, {"type": "integer"}, {"type": "string"}, {"const": 1}]
DEEPEST = 3


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def chance(self, share):
        return self.random.random() < share

    def one(self, choices):
        return self.random.choice(choices)

    def some(self, most):
        return self.random.sample(NAMES, self.random.randint(1, most))

    def value(self, depth=0):
        kind = self.random.random()
        if depth >= DEEPEST or kind < 0.5:
            return self.one(SCALARS)
        if kind < 0.75:
            return [self.value(depth + 1) for _ in range(self.one([0, 1, 1, 2, 2, 3]))]
        names = self.random.sample(NAMES, self.one([0, 1, 1, 2, 3]))
        return {name: self.value(depth + 1) for name in names}

    def schema(self, depth=0):
        if depth > DEEPEST or depth > 0 and self.chance(0.04):
            return self.one(LEAVES)
        result = {}
        kind = self.one(["object", "object", "array", "array", "string", "number", "mixed"])
        if kind != "mixed" and self.chance(0.8):
            others = [kind, self.one([name for name in OTHER_TYPES if name != kind])]
            result["type"] = kind if self.chance(0.7) else others
        self.optional(result, getattr(self, kind, lambda depth: [])(depth))
        self.optional(result, self.shared(depth))
        return result

    def optional(self, result, entries):
        """Adds keywords, each with its chance; an entry is the chance and what makes the keywords."""
        for share, make in entries:
            if self.chance(share):
                result.update(make())

    def object(self, depth):
        inner = lambda: self.schema(depth + 1)
        names = [{"maxLength": 1}, {"pattern": "^[ab]"}, {"enum": ["a", "b"]}, {"not": {"const": "a"}}]
        return [
            (0.8, lambda: {"properties": {name: inner() for name in self.some(3)}}),
            (0.4, lambda: {"required": self.some(2)}),
            (0.4, lambda: {"additionalProperties": self.one([False, False, inner()])}),
            (0.15, lambda: {"patternProperties": {self.one(["^a", "b$", "^c$", "."]): inner()}}),
            (0.1, lambda: {"propertyNames": self.one(names)}),
            (0.15, lambda: {"minProperties": self.random.randint(0, 3)}),
            (0.15, lambda: {"maxProperties": self.random.randint(0, 3)}),
            (0.1, lambda: {"dependentRequired": {self.one(NAMES): self.some(1)}}),
            (0.08, lambda: {"dependentSchemas": {self.one(NAMES): inner()}}),
            (0.1, lambda: {"unevaluatedProperties": self.one([False, inner()])}),
            (0.1, lambda: self.left_over(depth)),
            (0.03, lambda: {self.one(["oneOf", "anyOf"]): self.many_branches(depth)}),
            (0.06, lambda: {"oneOf": [self.union(depth, 2) for _ in range(3)]}),
        ]

    def names_only(self, depth):
        """A subschema that looks at members by their names."""
        result = {"properties": {name: self.schema(depth + 2) for name in self.some(2)}}
        if self.chance(0.5):
            result["required"] = self.some(1)
        return result

    def left_over(self, depth):
        """What members are left over by more branches than are multiplied out."""
        inner = lambda: self.names_only(depth)
        def choice():
            return self.one([
                lambda: {"if": inner(), "then": inner()},
                lambda: {"if": inner(), "then": inner(), "else": inner()},
                lambda: {"anyOf": [inner(), inner()]},
                lambda: {"oneOf": [inner(), inner()]},
                lambda: {"dependentSchemas": {self.one(NAMES): inner()}},
                inner,
            ])()
        result = {"allOf": [choice() for _ in range(self.random.randint(3, 8))]}
        return result | {"unevaluatedProperties": self.one([False, False, self.schema(depth + 1)])}

    def union(self, depth, levels):
        """A branch that a member tells apart from most others, or that is a union itself."""
        result = {}
        name = self.one(NAMES)
        if self.chance(0.7):
            result = self.names_only(depth)
            result["properties"][name] = {"enum": self.random.sample(SCALARS, 2)}
            if self.chance(0.8):
                result["required"] = [name]
        if self.chance(0.3):
            result["not"] = self.one([{"required": self.some(1)},
                                      {"anyOf": [{"required": [other]} for other in self.some(2)]}])
        if self.chance(0.2):
            result["additionalProperties"] = False
        if levels > 0 and self.chance(0.5):
            result[self.one(["oneOf", "anyOf"])] = [self.union(depth, levels - 1) for _ in range(2)]
        return result

    def many_branches(self, depth):
        """More branches than are held against each other one by one."""
        return [self.names_only(depth) for _ in range(self.random.randint(17, 22))]

    def array(self, depth):
        inner = lambda: self.schema(depth + 1)
        return [
            (0.7, lambda: {"items": inner()}),
            (0.3, lambda: {"prefixItems": [inner() for _ in range(self.random.randint(1, 2))]}),
            (0.4, lambda: {"minItems": self.random.randint(0, 3)}),
            (0.4, lambda: {"maxItems": self.random.randint(0, 4)}),
            (0.35, lambda: {"uniqueItems": True}),
            (0.3, lambda: {"contains": inner()}),
            (0.15, lambda: {"minContains": self.random.randint(0, 2)}),
            (0.15, lambda: {"maxContains": self.random.randint(0, 3)}),
            (0.12, lambda: {"unevaluatedItems": self.one([False, inner()])}),
        ]

    def string(self, depth):
        patterns = ["^a", "b", "^[ab]*$", "^.$", "a|b", "^(ab)+$"]
        return [
            (0.3, lambda: {"minLength": self.random.randint(0, 2)}),
            (0.3, lambda: {"maxLength": self.random.randint(0, 3)}),
            (0.3, lambda: {"pattern": self.one(patterns)}),
        ]

    def number(self, depth):
        return [
            (0.4, lambda: {self.one(["minimum", "exclusiveMinimum"]): self.one([0, 1, -1, 0.5])}),
            (0.4, lambda: {self.one(["maximum", "exclusiveMaximum"]): self.one([3, 2, 10, 1.5])}),
            (0.3, lambda: {"multipleOf": self.one([1, 2, 0.5, 0.1, 3])}),
        ]

    def shared(self, depth):
        inner = lambda: self.schema(depth + 1)
        branches = lambda: [inner() for _ in range(self.random.randint(1, 3))]
        return [
            (0.15, lambda: {"enum": self.distinct(self.random.randint(1, 4))}),
            (0.04, lambda: {"const": self.value(1)}),
            (0.12, lambda: {"not": inner()}),
            (0.1, lambda: {self.one(["anyOf", "oneOf", "allOf"]): branches()}),
            (0.06, lambda: {"if": inner(), "then": inner(), "else": inner()}),
            (0.05, lambda: {"allOf": self.conditions(depth)}),
            # Below the top, where it does not lead back to itself at once.
            (0.08 if depth > 0 else 0, lambda: {"$ref": self.one(["#", "#/$defs/x"])}),
        ]

    def conditions(self, depth):
        """Conditions on a member, or on a member of a member, for what another member must be."""
        name, within, decided = self.one(NAMES), self.one(NAMES), self.one(NAMES)
        required = {"required": [name]} if self.chance(0.5) else {}

        def condition(value):
            if self.chance(0.3):
                return {"properties": {name: {"const": value}}} | required
            inner = {"properties": {within: {"const": value}}, "required": [within]}
            return {"properties": {name: inner}} | required

        return [
            {"if": condition(value), "then": {"properties": {decided: self.schema(depth + 1)}}}
            for value in self.random.sample(SCALARS, self.random.randint(2, 8))
        ]

    def distinct(self, count):
        values = {}
        for _ in range(count):
            value = self.value(1)
            values[json.dumps(value, sort_keys=True)] = value
        return list(values.values())


def tokenizer(path):
    """Cuts bytes into tokens of at most six, the longest first: any cut will do."""
    data = open(path, "rb").read()
    (count,) = struct.unpack_from("<I", data, 4)
    at, tokens = 12, {}
    for token in range(count):
        flags, length = struct.unpack_from("<BH", data, at)
        at += 3
        if not flags & 1:
            tokens.setdefault(data[at : at + length], token)
        at += length

    def cut(text):
        rest, result = text.encode(), []
        while rest:
            length = next(n for n in range(min(6, len(rest)), 0, -1) if rest[:n] in tokens)
            result.append(tokens[rest[:length]])
            rest = rest[length:]
        return result

    return cut


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--vocabulary", help="for the tokens of the texts, which without it are left out")
    parser.add_argument("out")
    arguments = parser.parse_args()
    cut = tokenizer(arguments.vocabulary) if arguments.vocabulary else None
    generator = Generator(arguments.seed)
    made = 0
    with open(arguments.out, "w") as out:
        while made < arguments.count:
            schema = generator.schema() | {"$defs": {"x": generator.schema(1)}}
            try:
                validator = jsonschema_rs.Draft202012Validator(schema)
            except Exception:
                continue
            tests = {True: [], False: []}
            for _ in range(60):
                value = generator.value()
                judged = tests[validator.is_valid(value)]
                if len(judged) < 10:
                    judged.append(json.dumps(value, ensure_ascii=False))
            entries = [
                {"valid": valid, "text": text} | ({"tokens": cut(text)} if cut else {})
                for valid in (True, False) for text in tests[valid]
            ]
            record = {"id": f"random-{arguments.seed}-{made}", "split": "random",
                      "schema": json.dumps(schema), "tests": entries}
            out.write(json.dumps(record) + "\n")
            made += 1


if __name__ == "__main__":
    main()
