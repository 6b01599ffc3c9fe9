#!/usr/bin/env python3
"""Load emitted grammars into the engines that they are written for, and compare verdicts with ours.

    python3 -m venv ~/engines && . ~/engines/bin/activate
    pip install llguidance tiktoken numpy pydantic typing-extensions xllamacpp
    pip install --no-deps xgrammar apache-tvm-ffi
    swift run -c release --package-path Benchmarks emittedgrammars WORKLOAD.jsonl emitted.jsonl
    python Tests/Consumers/emitted_grammars.py emitted.jsonl [--limit N] [--timeout SECONDS] [--verbose]

For each schema and notation: does the engine take the grammar, and are its verdicts on the instances ours? A grammar
that was emitted without losses must give the same verdicts; one with losses may take more, never less. An engine that is
not installed is skipped, with a line that says so. Each engine works in a child process with a time limit per schema.
"""
import argparse, json, multiprocessing, sys, types


def open_llguidance():
    import llguidance

    tokenizer = llguidance.LLTokenizer("byte")

    def check(text, instances):
        grammar = llguidance.LLMatcher.grammar_from_lark(text)
        first = llguidance.LLMatcher(tokenizer, grammar, log_level=0)
        if first.is_error():
            return first.get_error().splitlines()[0], []
        verdicts = []
        for instance in instances:
            matcher = first.deep_copy()
            data = instance.encode()
            verdicts.append(matcher.try_consume_tokens(list(data)) == len(data) and matcher.is_accepting())
        return None, verdicts

    return check


def open_xgrammar():
    import os
    import numpy as np

    if "torch" not in sys.modules:
        # Only the names of tensors are needed: masks go through DLPack as arrays.
        try:
            import torch, transformers  # noqa: F401
        except ImportError:
            import importlib.machinery

            os.environ["TVM_FFI_DISABLE_TORCH_C_DLPACK"] = "1"
            for name in ("torch", "transformers"):
                module = types.ModuleType(name)

                def missing(attribute):
                    if attribute.startswith("__"):
                        raise AttributeError(attribute)
                    return type(attribute, (), {})

                module.__getattr__ = missing
                module.__spec__ = importlib.machinery.ModuleSpec(name, None)
                sys.modules[name] = module
            sys.modules["torch"].int32 = np.int32
            sys.modules["torch"].__version__ = "0.0.0"
            sys.modules["torch"].tensor = lambda values, dtype=None: np.array(values, dtype=np.int32)
    import xgrammar

    tokens = [bytes([byte]) for byte in range(256)] + [b"\xff"]
    info = xgrammar.TokenizerInfo(tokens, xgrammar.VocabType.RAW, vocab_size=257, stop_token_ids=[256])
    compiler = xgrammar.GrammarCompiler(info, max_threads=1, cache_enabled=False)
    mask = np.full((1, 9), -1, dtype=np.int32)

    def check(text, instances):
        try:
            grammar = xgrammar.Grammar.from_ebnf(text)
            compiled = compiler.compile_grammar(grammar)
        except Exception as error:  # noqa: BLE001
            return str(error).splitlines()[-1], []
        verdicts = []
        for instance in instances:
            matcher = xgrammar.GrammarMatcher(compiled)
            taken = all(matcher.accept_token(byte) for byte in instance.encode())
            if taken:
                if not matcher.fill_next_token_bitmask(mask):
                    mask.fill(-1)
                taken = bool(int(mask[0, 8]) & 1)
            verdicts.append(taken)
        return None, verdicts

    return check


def open_llama():
    """llama.cpp's own grammar reader and matcher, which the library of xllamacpp exports."""
    import ctypes, glob, importlib.util, os

    spec = importlib.util.find_spec("xllamacpp")
    if spec is None:
        raise ImportError("xllamacpp")
    library = ctypes.CDLL(glob.glob(os.path.join(os.path.dirname(spec.origin), "*.so"))[0])
    create = library["_Z23llama_grammar_init_implPK11llama_vocabPKcS3_bPS3_mPKim"]
    create.restype = ctypes.c_void_p
    create.argtypes = [
        ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_bool, ctypes.c_void_p, ctypes.c_size_t,
        ctypes.c_void_p, ctypes.c_size_t]
    accept = library["_Z20llama_grammar_acceptP13llama_grammarj"]
    accept.argtypes = [ctypes.c_void_p, ctypes.c_uint32]
    stacks = library["_Z24llama_grammar_get_stacksP13llama_grammar"]
    stacks.restype = ctypes.POINTER(ctypes.c_void_p * 3)
    stacks.argtypes = [ctypes.c_void_p]
    free = library["_Z23llama_grammar_free_implP13llama_grammar"]
    free.argtypes = [ctypes.c_void_p]

    def all_stacks(grammar):
        begin, end, _ = stacks(grammar).contents
        count = ((end or 0) - (begin or 0)) // 24
        return [(ctypes.c_void_p * 3).from_address(begin + 24 * index) for index in range(count)]

    def check(text, instances):
        verdicts = []
        for instance in [None, *instances]:
            grammar = create(None, text.encode(), b"root", False, None, 0, None, 0)
            if not grammar:
                return "llama.cpp refuses the grammar", []
            if instance is None:
                free(grammar)
                continue
            taken = True
            for character in instance:
                accept(grammar, ord(character))
                if not all_stacks(grammar):
                    taken = False
                    break
            # A stack without elements is the end of the root rule.
            verdicts.append(taken and any(s[0] == s[1] for s in all_stacks(grammar)))
            free(grammar)
        return None, verdicts

    return check


ENGINES = {"lark": ("llguidance", open_llguidance), "ebnf": ("xgrammar", open_xgrammar), "gbnf": ("llama.cpp", open_llama)}


def work(dialect, pipe):
    try:
        check = ENGINES[dialect][1]()
    except ImportError as error:
        pipe.send(("absent", str(error)))
        return
    pipe.send(("ready", None))
    while True:
        text, instances = pipe.recv()
        pipe.send(check(text, instances))


class Worker:
    def __init__(self, dialect):
        self.dialect = dialect
        self.start()

    def start(self):
        self.pipe, other = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=work, args=(self.dialect, other), daemon=True)
        self.process.start()
        self.state, self.reason = self.pipe.recv()

    def check(self, text, instances, timeout):
        try:
            self.pipe.send((text, instances))
            if self.pipe.poll(timeout):
                return self.pipe.recv()
            error = f"more than {timeout} s"
        except (EOFError, BrokenPipeError):
            error = "the engine ended"
        self.process.kill()
        self.start()
        return error, []


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--timeout", type=float, default=10)
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--dialect", choices=ENGINES)
    arguments = parser.parse_args()
    with open(arguments.file) as file:
        records = [json.loads(line) for line in file][: arguments.limit]
    failed = False
    print("| notation | engine | schemas | emitted | exactly | loaded | verdicts | the same | wider, as reported | wrong |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for dialect, (name, _) in ENGINES.items():
        if arguments.dialect not in (None, dialect):
            continue
        worker = Worker(dialect)
        if worker.state == "absent":
            print(f"skipped: {name} is not installed ({worker.reason})")
            continue
        emitted = exact = loaded = verdicts = same = wider = wrong = 0
        for record in records:
            emission = record["emissions"].get(dialect)
            if not emission or emission.get("text") is None:
                continue
            emitted += 1
            exact += not emission["losses"]
            error, answers = worker.check(
                emission["text"], [v["text"] for v in record["verdicts"]], arguments.timeout)
            if error:
                if arguments.verbose:
                    print(f"  {record['id']}: {error}", file=sys.stderr)
                continue
            loaded += 1
            for ours, theirs in zip(record["verdicts"], answers):
                verdicts += 1
                if ours["accepted"] == theirs:
                    same += 1
                elif theirs and emission["losses"]:
                    wider += 1
                else:
                    wrong += 1
                    if arguments.verbose:
                        print(f"  {record['id']}: {name} {theirs}, ours {ours['accepted']}: {ours['text'][:300]}",
                              file=sys.stderr)
        failed = failed or wrong > 0 or loaded < emitted
        print(f"| {dialect} | {name} | {len(records)} | {emitted} | {exact} | {loaded} | {verdicts} | {same} | {wider} | {wrong} |")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
