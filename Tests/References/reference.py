"""What llama.cpp says about a model file, as JSON: for tests, and for the bench beside ours.

    reference.py tokenize MODEL < {"texts": […], "special": true}     token lists
    reference.py logits MODEL [--exact] < [[tokens], …]               logits after each list
    reference.py greedy MODEL [--exact] [--count 64] < [[tokens], …]  tokens and what they won by
    reference.py speed MODEL [--prompt 256] [--count 64] [--rounds 5] tokens a second

`--exact` keeps keys and values in 32 bits and leaves flash attention off, so that what is compared
with is the model's arithmetic and not the caches' rounding. Needs the packages xllamacpp and numpy.
"""

import argparse
import json
import sys
import time

import numpy as np

from llamacpp import LlamaCpp


def greedy(model, prompts, count):
    result = []
    for prompt in prompts:
        model.clear()
        tokens, leads = [], []
        logits = model.append(prompt)
        for _ in range(count):
            best = int(np.argmax(logits))
            top = np.partition(logits, -2)[-2:]
            tokens.append(best)
            leads.append(float(top.max() - top.min()))
            logits = model.append([best])
        result.append({"tokens": tokens, "leads": leads})
    return result


def logits(model, lists):
    result = []
    for tokens in lists:
        model.clear()
        result.append([float(x) for x in model.append(tokens)])
    return result


def speed(model, prompt_count, count, rounds):
    """The fastest of some rounds: a shared machine only ever slows one down."""
    prompt = [(i * 7919) % 32000 + 100 for i in range(prompt_count)]
    best = {"prompt": 0.0, "decode": 0.0, "promptCPU": 0.0, "decodeCPU": 0.0}
    for _ in range(rounds):
        model.clear()
        wall, cpu = time.perf_counter(), time.process_time()
        logits = model.append(prompt)
        between, cpu_between = time.perf_counter(), time.process_time()
        best["prompt"] = max(best["prompt"], prompt_count / (between - wall))
        best["promptCPU"] = max(best["promptCPU"], prompt_count / (cpu_between - cpu))
        wall, cpu = time.perf_counter(), time.process_time()
        for _ in range(count):
            logits = model.append([int(np.argmax(logits))])
        best["decode"] = max(best["decode"], count / (time.perf_counter() - wall))
        best["decodeCPU"] = max(best["decodeCPU"], count / (time.process_time() - cpu))
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("task", choices=["tokenize", "logits", "greedy", "speed"])
    parser.add_argument("model")
    parser.add_argument("--exact", action="store_true")
    parser.add_argument("--count", type=int, default=64)
    parser.add_argument("--prompt", type=int, default=256)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    model = LlamaCpp(
        options.model, vocab_only=options.task == "tokenize", exact=options.exact,
        threads=options.threads,
    )
    if options.task == "tokenize":
        given = json.load(sys.stdin)
        result = [model.tokenize(text, special=given["special"]) for text in given["texts"]]
    elif options.task == "logits":
        result = logits(model, json.load(sys.stdin))
    elif options.task == "greedy":
        result = greedy(model, json.load(sys.stdin), options.count)
    else:
        result = speed(model, options.prompt, options.count, options.rounds)
    json.dump(result, sys.stdout)


main()
