"""Judges the texts of workloads with the engine in WebAssembly: `check.py ENGINE.wasm WORKLOAD.jsonl ...`.

A workload has a line for each schema: {"id", "schema": TEXT, "tests": [{"valid", "text"}]}.
"""
import json, sys
from wasmtime import Engine, Instance, Module, Store, Trap

WORDS = ["refused", "accepted", "undecided", "refused by the mask alone"]


class WebEngine:
    def __init__(self, path):
        self.engine = Engine()
        self.module = Module.from_file(self.engine, path)
        self.start()

    def start(self):
        """After a trap nothing of an instance can be relied on."""
        self.store = Store(self.engine)
        self.exports = Instance(self.store, self.module, []).exports(self.store)

    def call(self, name, *arguments):
        return self.exports[name](self.store, *arguments)

    def with_text(self, name, text):
        data = text.encode()
        place = self.call("malloc", len(data) + 1)
        self.exports["memory"].write(self.store, data, place)
        result = self.call(name, place, len(data))
        self.call("free", place)
        return result

    def message(self):
        count = self.call("messageCount")
        place = self.call("malloc", count + 1)
        self.call("copyMessage", place)
        text = self.exports["memory"].read(self.store, place, place + count).decode()
        self.call("free", place)
        return text


def main():
    engine = WebEngine(sys.argv[1])
    faults = texts = refused = undecided = schemas = 0
    for path in sys.argv[2:]:
        for line in open(path):
            case = json.loads(line)
            schemas += 1
            try:
                if not engine.with_text("compile", case["schema"]):
                    refused += 1
                    continue
                for place, test in enumerate(case["tests"]):
                    texts += 1
                    verdict = engine.with_text("judge", test["text"])
                    undecided += verdict == 2
                    if verdict != 2 and verdict != test["valid"]:
                        faults += 1
                        print(f"{case['id']}: text {place} {WORDS[verdict]}: {engine.message()}")
            except Trap as trap:
                faults += 1
                print(f"{case['id']}: {trap}")
                engine.start()
    print(f"{schemas} schemas ({refused} not compiled), {texts} texts, {undecided} undecided, {faults} wrong")
    return faults > 0 or texts == 0


if __name__ == "__main__":
    sys.exit(main())
