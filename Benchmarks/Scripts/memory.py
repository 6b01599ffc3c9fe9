#!/usr/bin/env python3
# Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0
"""Tries to make the engine take more memory than its limit.

    swift build -c release --product espalier
    Benchmarks/Scripts/memory.py [CASES] [--seed N] [--espalier .build/release/espalier]

Each case is a schema of a kind that keeps something of the text (items that differ, keys, digits, ambiguity) and a long
text that satisfies it. `espalier validate` reads it in a process of its own. What that takes beyond the same schema with a
short text is compared with the limit `memory` (64 MB), 32 MB, and three copies of the text. A case beyond that, or one that
takes more than a minute, is printed with its seed, and the exit code is 1.
"""
import argparse, json, os, random, subprocess, sys, tempfile, threading

LIMIT = 64 + 32


def word(rng, low, high):
    return ''.join(rng.choice('abcdefghij') for _ in range(rng.randint(low, high)))


def value(rng, depth=2):
    kind = rng.randrange(6 if depth else 4)
    if kind == 0:
        return rng.randint(-10**rng.randint(1, 15), 10**rng.randint(1, 15))
    if kind == 1:
        return word(rng, 0, 200)
    if kind == 2:
        return rng.random()
    if kind == 3:
        return rng.choice([None, True, False])
    if kind == 4:
        return [value(rng, depth - 1) for _ in range(rng.randint(0, 4))]
    return {word(rng, 1, 9): value(rng, depth - 1) for _ in range(rng.randint(0, 4))}


def distinct(rng, make, count):
    items = {}
    for _ in range(count):
        item = make()
        items[json.dumps(item, sort_keys=True)] = item
    return list(items.values())


def unique_items(rng):
    items = rng.choice([{}, {'type': 'string'}, {'type': ['string', 'integer']}])
    make = (lambda: value(rng)) if not items else (lambda: word(rng, 1, rng.choice([20, 2000, 100_000])))
    budget, text = rng.randint(10_000, 600_000), []
    while budget > 0:
        text.append(make())
        budget -= len(json.dumps(text[-1]))
    return {'uniqueItems': True, 'items': items}, distinct(rng, lambda: text.pop(), len(text)), []


def numbers(rng):
    schema = rng.choice([{'multipleOf': 7}, {'maximum': 1e300}, {'minimum': 3, 'multipleOf': 0.25}, {'type': 'integer'}])
    digits = rng.randint(1000, 300_000)
    text = '7' * digits if 'multipleOf' in schema else '0.' + '1' * digits
    if schema.get('type') == 'integer':
        text = '1' * digits
    return schema, text, '7'


def keys(rng):
    schema = rng.choice([
        {'additionalProperties': True},
        {'additionalProperties': {'type': 'integer'}, 'minProperties': 1},
        {'patternProperties': {'^a': {'type': 'integer'}, 'b$': {'type': 'integer'}}, 'propertyNames': {'maxLength': 3000}},
        {'properties': {f'k{i}': {} for i in range(300)}, 'patternProperties': {'^[a-e]+$': {'type': 'integer'}}},
    ])
    length = rng.choice([8, 60, 2500])
    count = rng.randint(10, 600_000 // (length + 8))
    return schema, {word(rng, length, length): rng.randint(0, 99) for _ in range(count)}, {}


def nested(rng):
    depth = rng.randint(5, 40)
    names = ['a', 'b'][:rng.randint(1, 2)]
    schema = {'$defs': {f'd{i}': {'properties': {n: {'$ref': f'#/$defs/d{i + 1}'} for n in names}, 'required': names}
                        for i in range(depth)}, '$ref': '#/$defs/d0'}
    schema['$defs'][f'd{depth}'] = {'type': 'integer'}

    def text(level, budget):
        if level == depth:
            return '1'
        # Both members along one path, a wrong kind of value elsewhere: nothing is required of it.
        inner = text(level + 1, budget)
        return '{' + ','.join(f'"{n}":{inner if n == "a" else "[]"}' for n in names) + '}'
    return schema, text(0, 0), '[]'


def patterns(rng):
    schema = {'type': 'array', 'items': {'type': 'string', 'pattern': rng.choice(
        ['^(a|b)*a(a|b){8}$', '^([a-e]+,?)*$', '(a.*b.*c|c.*b.*a)', '^(?!.*jj).*$', '^.{0,5000}$'])}}
    items = []
    while sum(map(len, items)) < rng.randint(10_000, 400_000):
        tail = 'a' + ''.join(rng.choice('ab') for _ in range(8))
        body = ''.join(rng.choice('ab') for _ in range(rng.randint(0, 3000)))
        items.append(body + tail if rng.random() < 0.9 else 'abcba' + tail)
    return schema, items, []


def choices(rng):
    count = rng.randint(2, 60)
    schema = {'type': 'array', 'items': {rng.choice(['anyOf', 'oneOf']): [
        {'properties': {'kind': {'const': f't{i}'}, f'v{i}': {'type': 'string'}}, 'required': [f'v{i}']}
        for i in range(count)]}}
    items = []
    for _ in range(rng.randint(100, 5000)):
        i = rng.randrange(count)
        items.append({f'v{i}': word(rng, 1, 50), 'kind': f't{i}'})
    return schema, items, []


KINDS = [unique_items, numbers, keys, nested, patterns, choices]


def measure(binary, folder, schema, text):
    paths = [os.path.join(folder, name) for name in ('schema.json', 'text.json')]
    for path, content in zip(paths, (json.dumps(schema), text if isinstance(text, str) else json.dumps(text))):
        with open(path, 'w') as file:
            file.write(content)
    process = subprocess.Popen([binary, 'validate', *paths], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    timer = threading.Timer(60, process.kill)
    timer.start()
    output = process.stdout.read()
    timer.cancel()
    _, status, usage = os.wait4(process.pid, 0)
    return os.waitstatus_to_exitcode(status), output.strip()[:200], usage.ru_maxrss / 1024, os.path.getsize(paths[1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('cases', type=int, nargs='?', default=60)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--espalier', default='.build/debug/espalier')
    options = parser.parse_args()
    failures, most = 0, {}
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.seed, options.seed + options.cases):
            rng = random.Random(seed)
            kind = KINDS[seed % len(KINDS)]
            schema, text, short = kind(rng)
            _, _, before, _ = measure(options.espalier, folder, schema, short)
            code, output, after, size = measure(options.espalier, folder, schema, text)
            beyond = after - before - 3 * size / (1 << 20)
            most[kind.__name__] = max(most.get(kind.__name__, 0), beyond)
            if beyond > LIMIT or code not in (0, 1):
                failures += 1
                print(f'seed {seed}, {kind.__name__}: {beyond:.0f} MB for {size} bytes, exit code {code}, {output}')
    for name, beyond in most.items():
        print(f'{name:13} at most {beyond:5.0f} MB beyond a short text (limit {LIMIT})')
    sys.exit(1 if failures else 0)


main()
