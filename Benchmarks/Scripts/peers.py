#!/usr/bin/env python3
"""Measures llguidance or xgrammar as `maskbench` measures this engine, and puts results into one table.

  python3 -m venv peers && . peers/bin/activate
  pip install numpy llguidance && pip install --no-deps xgrammar apache-tvm-ffi typing-extensions pydantic
  peers.py run llguidance --workload FILE.jsonl --vocabulary FILE.bin --tokenizer tokenizer.json --out PEER.json
  peers.py table OURS.json PEER.json

For each schema: compile it; for each instance a fresh matcher; at each token a mask of the whole vocabulary, the bit
of the token, and the token accepted; a verdict at the end. The times are those of the calls from Python; `run nothing`
says what calling and reading the clock cost by themselves. Engines run with one thread and keep nothing from schema to
schema. One that takes longer than --timeout for a schema is ended, and the schema counts as not compiled.
"""
import argparse, importlib.metadata, json, multiprocessing, os, resource, struct, sys, time, types


def read_vocabulary(path):
    with open(path, "rb") as file:
        data = file.read()
    count, end = struct.unpack_from("<II", data, 4)
    tokens, special, at = [], set(), 12
    for token in range(count):
        flags, length = struct.unpack_from("<BH", data, at)
        if flags & 1:
            special.add(token)
        tokens.append(data[at + 3 : at + 3 + length])
        at += 3 + length
    return tokens, special, end


class Nothing:
    """Allows every token."""

    package = None

    def __init__(self, tokens, special, end, file):
        import numpy

        self.mask = numpy.full((len(tokens) + 31) // 32, -1, dtype=numpy.int32)
        self.end = end

    def compile(self, schema):
        pass

    def start(self):
        pass

    def fill(self):
        pass

    def accept(self, token):
        return True

    def may_end(self):
        return True


class LLGuidance(Nothing):
    package = "llguidance"

    def __init__(self, tokens, special, end, file):
        super().__init__(tokens, special, end, file)
        import llguidance

        if not file:
            raise SystemExit("llguidance needs --tokenizer: it allows forced text in the tokens of its tokenizer alone")
        self.library = llguidance
        self.tokenizer = llguidance.LLTokenizer(file, n_vocab=len(tokens), eos_token=end)

    def compile(self, schema):
        grammar = self.library.LLMatcher.grammar_from_json_schema(schema)
        self.compiled = self.library.LLMatcher(self.tokenizer, grammar, log_level=0)
        if self.compiled.is_error():
            raise ValueError(self.compiled.get_error())

    def start(self):
        self.matcher = self.compiled.deep_copy()

    def fill(self):
        self.matcher.unsafe_compute_mask_ptr(self.mask.ctypes.data, self.mask.nbytes)

    def accept(self, token):
        return self.matcher.consume_token(token)

    def may_end(self):
        return self.matcher.is_accepting()


class XGrammar(Nothing):
    package = "xgrammar"

    def __init__(self, tokens, special, end, file):
        super().__init__(tokens, special, end, file)
        without_torch()
        import xgrammar

        self.library = xgrammar
        info = xgrammar.TokenizerInfo(
            tokens, xgrammar.VocabType.RAW, vocab_size=len(tokens), stop_token_ids=[end])
        self.compiler = xgrammar.GrammarCompiler(info, max_threads=1, cache_enabled=False)
        self.mask = self.mask.reshape(1, -1)

    def compile(self, schema):
        self.compiled = self.compiler.compile_json_schema(schema, any_whitespace=False)

    def start(self):
        self.matcher = self.library.GrammarMatcher(self.compiled)

    def fill(self):
        if not self.matcher.fill_next_token_bitmask(self.mask):
            self.mask.fill(-1)

    def accept(self, token):
        return self.matcher.accept_token(token)

    def may_end(self):
        if self.matcher.is_terminated():
            return True
        self.fill()
        return has(self.mask.reshape(-1), self.end)


def without_torch():
    """xgrammar imports torch for its tensors; arrays of numpy do, and the download is small."""
    try:
        import torch  # noqa: F401
    except ImportError:
        import importlib.machinery, numpy

        os.environ["TVM_FFI_DISABLE_TORCH_C_DLPACK"] = "1"
        for name in ("torch", "transformers"):
            module = types.ModuleType(name)
            module.__getattr__ = lambda name: missing(name)
            module.__spec__ = importlib.machinery.ModuleSpec(name, None)
            sys.modules[name] = module
        sys.modules["torch"].__version__ = "0.0.0"
        sys.modules["torch"].int32 = numpy.int32
        sys.modules["torch"].tensor = lambda values, dtype=None: numpy.array(values, dtype=numpy.int32)


def missing(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return type(name, (), {})


ENGINES = {"llguidance": LLGuidance, "xgrammar": XGrammar, "nothing": Nothing}


def has(mask, token):
    return bool(int(mask[token >> 5]) >> (token & 31) & 1)


def measure(engine, record, arguments):
    now = time.thread_time_ns if arguments.clock == "cpu" else time.perf_counter_ns
    result = {key: record[key] for key in ("id", "split")}
    result |= {"mask_ns": [], "step_ns": [], "false_reject": [], "false_accept": [], "tests": len(record["tests"])}
    start = now()
    try:
        engine.compile(record["schema"])
        result["compile_ns"] = now() - start
        engine.start()
        engine.fill()
        result["ttfm_ns"] = now() - start
    except Exception as error:
        return result | {"compile_error": f"{error}"[:300]}
    mask, taken = engine.mask.reshape(-1), 0
    for place, test in enumerate(record["tests"][: arguments.instances]):
        engine.start()
        is_right, reason = True, "the end"
        for position, token in enumerate(test["tokens"]):
            before = now()
            engine.fill()
            filled = now()
            is_right = has(mask, token) and engine.accept(token)
            result["step_ns"].append(now() - before)
            result["mask_ns"].append(filled - before)
            taken += 1
            if not is_right:
                reason = f"token {position}"
                break
            if taken >= arguments.max_tokens:
                return result
        is_right = is_right and engine.may_end()
        if is_right and not test["valid"]:
            result["false_accept"].append(place)
        if not is_right and test["valid"]:
            result["false_reject"].append([place, reason])
    return result


def work(connection, arguments):
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    start = time.perf_counter()
    engine = ENGINES[arguments.engine](*read_vocabulary(arguments.vocabulary), arguments.tokenizer)
    peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    connection.send({"init_ms": (time.perf_counter() - start) * 1000, "rss_after_init_mb": peak()})
    while record := connection.recv():
        connection.send(measure(engine, record, arguments) | {"rss_mb": peak()})


class Child:
    """The engine in a process of its own, which can be ended."""

    def __init__(self, arguments):
        self.connection, other = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=work, args=(other, arguments), daemon=True)
        self.process.start()
        other.close()
        self.head = self.answer(300)
        if self.head is None:
            raise SystemExit(f"{arguments.engine} did not start")

    def answer(self, seconds):
        try:
            if self.connection.poll(seconds):
                return self.connection.recv()
        except EOFError:
            pass
        self.process.kill()
        self.process.join()
        return None

    def ask(self, record, seconds):
        self.connection.send(record)
        return self.answer(seconds)


def run(arguments):
    for name in ("RAYON_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ[name] = "1"
    multiprocessing.set_start_method("spawn")
    child, head, results = None, None, []
    with open(arguments.workload) as file:
        for line in file:
            record = json.loads(line)
            child = child or Child(arguments)
            head = head or child.head
            result = child.ask(record, arguments.timeout)
            if result is None:
                child = None
                result = {"id": record["id"], "split": record["split"], "tests": len(record["tests"])}
                result |= {"failed": "ended", "mask_ns": [], "false_reject": [], "false_accept": []}
            results.append(result)
            if len(results) % 50 == 0:
                print(f"{len(results)} schemas", file=sys.stderr)
    if child:
        child.connection.send(None)
    package = ENGINES[arguments.engine].package
    version = importlib.metadata.version(package) if package else ""
    summary = {"engine": arguments.engine, "version": version, "clock": arguments.clock} | head
    with open(arguments.out, "w") as out:
        json.dump({"summary": summary, "schemas": results}, out)
    print_table([arguments.out])


def row(name, schemas):
    def at(values, share):
        return f"{values[min(len(values) - 1, int(len(values) * share))]:,.1f}" if values else "-"

    def average(values):
        return f"{sum(values) / len(values):,.1f}" if values else "-"

    first = sorted(schema["ttfm_ns"] / 1000 for schema in schemas if schema.get("ttfm_ns"))
    masks = sorted(time / 1000 for schema in schemas for time in schema["mask_ns"])
    refused = sum(len(schema["false_reject"]) for schema in schemas)
    accepted = sum(len(schema["false_accept"]) for schema in schemas)
    cells = [name, len(schemas), len(schemas) - len(first), refused, accepted, average(first)]
    cells += [at(first, share) for share in (0.5, 0.99)] + [f"{len(masks):,}", average(masks)]
    cells += [at(masks, share) for share in (0.5, 0.9, 0.99, 0.999, 1)]
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def print_table(paths):
    results = []
    for path in paths:
        with open(path) as file:
            result = json.load(file)
        name = f"{result['summary']['engine']} {result['summary']['version']}".strip()
        results.append((name, result["schemas"]))
    head = ["engine", "schemas", "not compiled", "valid refused", "invalid accepted", "first mask avg µs", "p50", "p99"]
    head += ["masks", "mask avg µs", "p50", "p90", "p99", "p99.9", "max"]
    head = "| " + " | ".join(head) + " |\n" + "|---" * len(head) + "|"
    print(head)
    for name, schemas in results:
        print(row(name, schemas))
    if len(results) > 1:
        common = set.intersection(*({s["id"] for s in schemas if s.get("ttfm_ns")} for _, schemas in results))
        print(f"\nThe {len(common)} schemas that all of them compile:\n\n{head}")
        for name, schemas in results:
            print(row(name, [schema for schema in schemas if schema["id"] in common]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("run", help="measure an engine")
    one.add_argument("engine", choices=ENGINES)
    one.add_argument("--workload", required=True, metavar="FILE.jsonl")
    one.add_argument("--vocabulary", required=True, metavar="FILE.bin")
    one.add_argument("--tokenizer", metavar="tokenizer.json", help="for llguidance: the file that workload.py read")
    one.add_argument("--out", required=True, metavar="PEER.json")
    one.add_argument("--clock", choices=["wall", "cpu"], default="wall")
    one.add_argument("--instances", type=int, default=None, help="the first so many of each schema; all otherwise")
    one.add_argument("--max-tokens", type=int, default=20_000, help="of one schema, over all its instances")
    one.add_argument("--timeout", type=float, default=30, help="seconds for one schema")
    table = commands.add_parser("table", help="put results of maskbench and of other engines into one table")
    table.add_argument("results", nargs="+", metavar="RESULT.json")
    arguments = parser.parse_args()
    if arguments.command == "run":
        run(arguments)
    else:
        print_table(arguments.results)


if __name__ == "__main__":
    main()
