#!/usr/bin/env python3
"""Time `espalier serve` and llama-server on the same model file with 1, 2 and 4 clients, in turn.

    pip install xllamacpp
    swift build -c release --product espalier
    python Tests/Consumers/servers/serve_speed.py MODEL.gguf [--clients 1 2 4] [--requests 12] [--tokens 64]

Every client asks for one answer after the other, streamed: of text, and of values of a schema. Both servers have the same prompts, of which
none comes twice (both keep what they have read), two threads (`--threads`), and draw greedily. Each number of clients is measured `--rounds` times, the servers in turn; the medians are shown:
requests and tokens a second, and the time to the first token at the 50th and the 99th percentile.
"""
import argparse, json, os, statistics, subprocess, sys, threading, time, urllib.request

LLAMA = """
import sys, time
import xllamacpp as x
p = x.CommonParams()
p.model.path = sys.argv[1]
p.n_ctx, p.n_parallel, p.port, p.hostnames = 8192, int(sys.argv[4]), int(sys.argv[2]), ["127.0.0.1"]
p.cpuparams.n_threads = p.cpuparams_batch.n_threads = int(sys.argv[3])
server = x.Server(p)
print(server.listening_address, flush=True)
while True: time.sleep(3600)
"""
SCHEMA = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "minLength": 1, "maxLength": 20},
        "nights": {"type": "integer", "minimum": 1, "maximum": 14},
        "tags": {"type": "array", "items": {"enum": ["food", "art", "sea", "calm"]}, "minItems": 1, "maxItems": 3},
        "why": {"type": "string", "minLength": 20, "maxLength": 120},
    },
    "required": ["city", "nights", "tags", "why"],
    "additionalProperties": False,
}
CITIES = ["Rome", "Kyoto", "Oslo", "Lima", "Cairo", "Perth", "Quito", "Turin"]


def ask(url, number, kind, tokens):
    """Tokens, seconds to the first of them, and seconds in all."""
    body = {
        "messages": [{"role": "user", "content": f"Number {number}: plan a stay in {CITIES[number % len(CITIES)]} and say why."}],
        "max_tokens": tokens, "temperature": 0, "stream": True, "stream_options": {"include_usage": True},
    }
    if kind == "schema":
        body["response_format"] = {"type": "json_schema", "json_schema": {"name": "stay", "schema": SCHEMA}}
    request = urllib.request.Request(
        url + "/v1/chat/completions", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    start, first, count = time.monotonic(), None, 0
    with urllib.request.urlopen(request, timeout=120) as answer:
        for line in answer:
            if not line.startswith(b"data: {"):
                continue
            event = json.loads(line[6:])
            if first is None and any(c["delta"].get("content") for c in event["choices"]):
                first = time.monotonic() - start
            if event.get("usage"):
                count = event["usage"]["completion_tokens"]
    return count, first or time.monotonic() - start, time.monotonic() - start


def measure(url, clients, arguments, kind, start_number):
    """Asks `arguments.requests` times, from the given number of a prompt on."""
    numbers, lock, found = iter(range(start_number, start_number + arguments.requests)), threading.Lock(), []

    def work():
        while True:
            with lock:
                number = next(numbers, None)
            if number is None:
                return
            found.append(ask(url, number, kind, arguments.tokens))

    start = time.monotonic()
    threads = [threading.Thread(target=work) for _ in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seconds = time.monotonic() - start
    firsts = sorted(one[1] for one in found)
    return (
        len(found) / seconds, sum(one[0] for one in found) / seconds, firsts[len(firsts) // 2],
        firsts[min(len(firsts) - 1, len(firsts) * 99 // 100)],
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("--espalier", default=".build/release/espalier")
    parser.add_argument("--clients", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--requests", type=int, default=12)
    parser.add_argument("--tokens", type=int, default=64)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--kinds", nargs="+", default=["text", "schema"], choices=["text", "schema"])
    arguments = parser.parse_args()
    try:
        import xllamacpp  # noqa: F401
    except ImportError:
        print("skipped: xllamacpp is not installed")
        return 0
    processes, urls = [], {}
    try:
        ours = subprocess.Popen([arguments.espalier, "serve", "--model", arguments.model, "--port", "0", "--quiet"], stdout=subprocess.PIPE, text=True)
        processes.append(ours)
        urls["espalier serve"] = ours.stdout.readline().split()[-1]
        theirs = subprocess.Popen(
            [sys.executable, "-c", LLAMA, arguments.model, "8969", str(arguments.threads), str(max(arguments.clients))],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )
        processes.append(theirs)
        theirs.stdout.readline()
        urls["llama-server"] = "http://127.0.0.1:8969"
        for url in urls.values():
            for number in range(3):
                ask(url, number, "schema", arguments.tokens)
        print("| answers | clients | server | requests a second | tokens a second | first token p50 | p99 |")
        print("|---|---|---|---|---|---|---|")
        start_number = 100
        for kind in arguments.kinds:
            for clients in arguments.clients:
                rounds = {name: [] for name in urls}
                for _ in range(arguments.rounds):
                    for name, url in urls.items():
                        rounds[name].append(measure(url, clients, arguments, kind, start_number))
                    start_number += arguments.requests
                for name, found in rounds.items():
                    requests, tokens, middle, late = (statistics.median(column) for column in zip(*found))
                    print(
                        f"| {kind} | {clients} | {name} | {requests:.2f} | {tokens:.1f} | {middle * 1000:.0f} ms | {late * 1000:.0f} ms |",
                        flush=True,
                    )
    finally:
        for process in processes:
            process.kill()
    return 0


if __name__ == "__main__":
    sys.exit(main())
