#!/usr/bin/env python3
"""Ask `espalier serve` for values of many schemas, streamed and whole, several at once, and check every one.

    pip install jsonschema-rs
    swift build --product espalier
    python Tests/Consumers/servers/serve_values.py WORKLOAD.jsonl [--requests 2000] [--at-once 4] [--model MODEL.gguf]

Each line of the workload is an object with a `schema` (an object, or its text). Without --model the sampling model answers.
Every second request is streamed, and every fourth is limited to --tokens tokens. Verdicts are those of `jsonschema-rs`. Ends with 1 where a
value breaks its schema, a request takes longer than --seconds, or the server ends.
"""
import argparse, collections, json, os, subprocess, sys, threading, time, urllib.error, urllib.request


def schemas(path, jsonschema_rs):
    """The schemas that the judge can read."""
    for line in open(path):
        line = json.loads(line)
        schema = line["schema"]
        schema = json.loads(schema) if isinstance(schema, str) else schema
        try:
            yield line.get("id", ""), schema, jsonschema_rs.validator_for(schema, validate_formats=True)
        except Exception:
            continue


def read(answer, streams):
    """The text and the reason of an answer."""
    if not streams:
        choice = json.load(answer)["choices"][0]
        return choice["message"]["content"], choice["finish_reason"]
    text, reason = "", None
    for line in answer:
        if not line.startswith(b"data: {"):
            continue
        event = json.loads(line[6:])
        if "error" in event:
            return None, "error in the stream: " + event["error"]["message"]
        for choice in event["choices"]:
            text += choice["delta"].get("content") or ""
            reason = choice["finish_reason"] or reason
    return text, reason


def ask(url, case, number, arguments):
    """What came of one request."""
    identity, schema, validator = case
    streams = number % 2 == 1
    body = {
        "messages": [{"role": "user", "content": f"Write an example, number {number}."}],
        "response_format": {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}},
        "seed": number, "stream": streams,
    }
    if number % 4 == 0 or arguments.always_limited:
        body["max_tokens"] = arguments.tokens
    request = urllib.request.Request(
        url + "/v1/chat/completions", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    try:
        with urllib.request.urlopen(request, timeout=arguments.seconds) as answer:
            text, reason = read(answer, streams)
    except urllib.error.HTTPError as error:
        message = json.load(error)["error"]["message"]
        return f"refused with {error.code}", message
    except OSError as error:
        return "NO ANSWER", str(error)
    if text is None:
        return "FAILED ON THE WAY", reason
    try:
        valid = validator.is_valid(json.loads(text))
    except ValueError:
        return ("cut off", "") if reason == "length" else ("INVALID", text[-300:])
    return ("valid", "") if valid else ("INVALID", text[:300])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("workload")
    parser.add_argument("--requests", type=int, default=2000)
    parser.add_argument("--at-once", type=int, default=4)
    parser.add_argument("--tokens", type=int, default=256)
    parser.add_argument("--always-limited", action="store_true", help="limit the tokens of every request")
    parser.add_argument("--seconds", type=float, default=30, help="how long a request may take")
    parser.add_argument("--stop-after", type=float, default=3600, help="ask nothing more after so many seconds")
    parser.add_argument("--model", default="sampling")
    parser.add_argument("--url", help="a server that is there already")
    parser.add_argument("--espalier", default=".build/debug/espalier")
    arguments = parser.parse_args()
    try:
        import jsonschema_rs
    except ImportError:
        print("skipped: jsonschema-rs is not installed")
        return 0
    cases = list(schemas(arguments.workload, jsonschema_rs))
    server, url = None, arguments.url
    if not url:
        server = subprocess.Popen(
            [arguments.espalier, "serve", "--model", arguments.model, "--port", "0", "--quiet"], stdout=subprocess.PIPE, text=True
        )
        url = server.stdout.readline().split()[-1]
    outcomes, shown, times = collections.Counter(), collections.Counter(), []
    lock, numbers = threading.Lock(), iter(range(arguments.requests))

    def work():
        while True:
            with lock:
                number = next(numbers, None)
            if number is None or time.monotonic() - start > arguments.stop_after:
                return
            case = cases[number % len(cases)]
            begun = time.monotonic()
            outcome, detail = ask(url, case, number, arguments)
            seconds = time.monotonic() - begun
            with lock:
                outcomes[outcome] += 1
                times.append((seconds, case[0]))
                if outcome not in ("valid", "cut off") and shown[case[0]] == 0:
                    shown[case[0]] += 1
                    print(f"{outcome}: {case[0]} (request {number}): {detail[:300]}", flush=True)

    start = time.monotonic()
    threads = [threading.Thread(target=work) for _ in range(arguments.at_once)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    took = time.monotonic() - start
    ended = server is not None and server.poll() is not None
    if server:
        memory = "" if ended else next(
            (line.split()[1] for line in open(f"/proc/{server.pid}/status") if line.startswith("VmRSS")), ""
        ) if os.path.exists(f"/proc/{server.pid}/status") else ""
        server.kill()
        print(f"the server {'ENDED' if ended else f'holds {memory} kB'}")
    print(f"{len(times)} requests, {len(cases)} schemas, {arguments.at_once} at once, {took:.0f} s")
    for outcome, number in outcomes.most_common():
        print(f"  {number:5} {outcome}")
    times.sort(reverse=True)
    print("slowest: " + ", ".join(f"{name} {seconds:.1f} s" for seconds, name in times[:8]))
    bad = sum(number for outcome, number in outcomes.items() if outcome.isupper() or outcome.startswith("refused with 5"))
    return 1 if bad or ended else 0


if __name__ == "__main__":
    sys.exit(main())
