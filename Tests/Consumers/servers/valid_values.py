#!/usr/bin/env python3
"""Ask a real server for values of many schemas, through the client and without it, and count what is valid.

    pip install jsonschema-rs xllamacpp
    swift build --product espalier
    python Tests/Consumers/servers/valid_values.py WORKLOAD.jsonl --model MODEL.gguf [--schemas 100] [--rounds 5]
    python Tests/Consumers/servers/valid_values.py WORKLOAD.jsonl --url http://127.0.0.1:8000

Each line of the workload is an object with a `schema` (an object, or its text). With `--model`, llama-server is started
on loopback (PyPI `xllamacpp`; where that is not installed, the script says so and ends with 0).

Between `espalier generate` and the server stands a relay that counts requests: a value whose request was the only one
was valid at the first attempt. Every second value is written while it streams, as a person sees it; the others are handed over whole.
Beside it the same schemas go to the server's own schema mode. Verdicts are those of `jsonschema-rs`. Ends with 1 where a value reached
the app that breaks its schema, a request did not end, or a connection is open after the last one.
"""
import argparse, http.server, json, signal, subprocess, sys, tempfile, threading, time, urllib.error, urllib.request

SERVER = """
import sys, time
import xllamacpp as x
p = x.CommonParams()
p.model.path = sys.argv[1]
p.n_ctx, p.n_parallel, p.port, p.hostnames = 8192, 2, int(sys.argv[2]), ["127.0.0.1"]
p.cpuparams.n_threads = p.cpuparams_batch.n_threads = 1
server = x.Server(p)
print(server.listening_address, flush=True)
while True: time.sleep(3600)
"""


class Relay(http.server.BaseHTTPRequestHandler):
    """Passes requests on, counts those that generate, and closes what its client has closed."""

    upstream = ""
    generations = 0
    open = 0
    lock = threading.Lock()
    protocol_version = "HTTP/1.0"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.relay(None)

    def do_POST(self):
        if self.path.endswith("/completions"):
            Relay.generations += 1
        self.relay(self.rfile.read(int(self.headers.get("Content-Length", 0))))

    def setup(self):
        super().setup()
        with Relay.lock:
            Relay.open += 1

    def finish(self):
        try:
            super().finish()
        except OSError:
            pass
        with Relay.lock:
            Relay.open -= 1

    def relay(self, body):
        request = urllib.request.Request(self.upstream + self.path, body, {"Content-Type": "application/json"})
        try:
            answer = urllib.request.urlopen(request, timeout=120)
        except urllib.error.HTTPError as error:
            answer = error
        try:
            self.send_response(answer.status)
            self.send_header("Content-Type", answer.headers.get("Content-Type", "application/json"))
            self.end_headers()
            while piece := answer.read1(65536):
                self.wfile.write(piece)
        except OSError:
            pass
        finally:
            answer.close()


def own_mode(url, schema, prompt, limit):
    """A value by the server's own schema mode: its text, or what went wrong."""
    body = {
        "messages": [{"role": "user", "content": prompt}],
        "max_tokens": limit,
        "response_format": {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}},
    }
    request = urllib.request.Request(
        url + "/v1/chat/completions", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    try:
        answer = json.load(urllib.request.urlopen(request, timeout=120))
    except urllib.error.HTTPError as error:
        return None, f"refused with {error.status}"
    except OSError:
        return None, "no answer"
    if answer["choices"][0]["finish_reason"] == "length":
        return None, "cut off"
    return answer["choices"][0]["message"]["content"], None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("workload")
    parser.add_argument("--model", help="a GGUF file, for llama-server")
    parser.add_argument("--url", help="a server that is there already")
    parser.add_argument("--port", type=int, default=8977)
    parser.add_argument("--espalier", default=".build/debug/espalier")
    parser.add_argument("--schemas", type=int, default=100)
    parser.add_argument("--part", default="0/1", help="I/N: every Nth of the schemas, from the Ith on, so that a run can be cut up")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--tally", help="a file in which the counts of several runs are added up")
    parser.add_argument("--tokens", type=int, default=256)
    parser.add_argument("--own-rounds", type=int, help="in how many rounds the server's own schema mode is asked too; all where left out")
    parser.add_argument("--only-own-mode", action="store_true", help="for `espalier serve`: its values must be valid")
    arguments = parser.parse_args()
    try:
        import jsonschema_rs
    except ImportError:
        print("skipped: jsonschema-rs is not installed")
        return 0
    url, process = arguments.url, None
    if not url:
        try:
            import xllamacpp  # noqa: F401
        except ImportError:
            print("skipped: xllamacpp is not installed")
            return 0
        process = subprocess.Popen(
            [sys.executable, "-c", SERVER, arguments.model, str(arguments.port)],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )
        url = process.stdout.readline().strip() or f"http://127.0.0.1:{arguments.port}"
        if not url.startswith("http"):
            url = "http://" + url
    try:
        return run(arguments, url, jsonschema_rs)
    finally:
        if process:
            process.kill()


def run(arguments, url, jsonschema_rs):
    Relay.upstream = url
    relay = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Relay)
    threading.Thread(target=relay.serve_forever, daemon=True).start()
    relay_url = f"http://127.0.0.1:{relay.server_port}"
    lines = [json.loads(line) for line in open(arguments.workload)]
    schemas = []
    for line in lines[:: max(1, len(lines) // (arguments.schemas * 2))]:
        schema = line["schema"]
        schema = json.loads(schema) if isinstance(schema, str) else schema
        try:
            validator = jsonschema_rs.validator_for(schema, validate_formats=True)
        except Exception:
            continue
        schemas.append((line.get("id", ""), schema, validator))
        if len(schemas) == arguments.schemas:
            break
    part, parts = map(int, arguments.part.split("/"))
    schemas = schemas[part::parts]
    ours, own, times = {}, {}, []
    bad = 0
    asked = 0

    def interrupt(*_):
        raise KeyboardInterrupt

    # What was counted is shown also where somebody stops the run.
    signal.signal(signal.SIGTERM, interrupt)
    try:
        for identity, schema, validator in schemas:
            bad += ask(arguments, identity, schema, validator, url, relay_url, ours, own, times)
            asked += 1
    except KeyboardInterrupt:
        print("stopped")
    if arguments.tally:
        tables = {"through the client": ours, "the server's own schema mode": own}
        with open(arguments.tally, "a") as file:
            file.write(json.dumps({"workload": arguments.workload, "schemas": asked, **tables}) + "\n")
    print(f"{asked} schemas, {arguments.rounds} rounds, at most {arguments.tokens} tokens")
    for name, table in [("through the client", ours), ("the server's own schema mode", own)]:
        print(f"{name}:")
        for outcome, number in sorted(table.items(), key=lambda item: -item[1]):
            print(f"  {number:5} {outcome}")
    if times:
        print(f"median seconds a request, the command's start included: {sorted(times)[len(times) // 2]:.2f}")
    deadline = time.monotonic() + 10
    while Relay.open and time.monotonic() < deadline:
        time.sleep(0.1)
    print(f"connections that are still open: {Relay.open}")
    return 1 if bad or Relay.open else 0


def count(table, outcome):
    table[outcome] = table.get(outcome, 0) + 1


def ask(arguments, identity, schema, validator, url, relay_url, ours, own, times):
    """Asks for values of one schema both ways; how many requests ended as none may."""
    bad = 0
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(schema, file)
        file.flush()
        for round in range(arguments.rounds):
            prompt = f"Write an example, number {round + 1}."
            if arguments.only_own_mode:
                bad += ask_own_mode(arguments, identity, schema, validator, url, prompt, own)
                continue
            before, start = Relay.generations, time.monotonic()
            streams = round % 2 == 1
            try:
                done = subprocess.run(
                    [arguments.espalier, "generate", file.name, prompt, "--model", relay_url,
                     "--maximum-tokens", str(arguments.tokens)] + ([] if streams else ["--json"]),
                    capture_output=True, text=True, timeout=300,
                )
            except subprocess.TimeoutExpired:
                count(ours, "hangs")
                bad += 1
                continue
            times.append(time.monotonic() - start)
            attempts = Relay.generations - before
            if done.returncode == 0:
                # A value that was begun again stands on a line of its own.
                written = json.loads(done.stdout.splitlines()[-1])
                value = written if streams else written["value"]
                if not validator.is_valid(value):
                    count(ours, "INVALID")
                    bad += 1
                    print(f"INVALID {identity}: {json.dumps(value)[:300]}")
                else:
                    count(ours, "valid at the first attempt" if attempts == 1 else "valid after another attempt")
            elif done.returncode == 1:
                count(ours, "schema cannot be honoured")
            elif "cut off" in done.stderr:
                count(ours, "error: cut off")
            elif "breaks the schema" in done.stderr or "white space" in done.stderr:
                count(ours, "error: the server broke the schema")
            else:
                count(ours, "error: other")
                print(f"{identity}: {done.stderr.strip().splitlines()[-1][:300]}")
            if arguments.own_rounds is None or round < arguments.own_rounds:
                ask_own_mode(arguments, identity, schema, validator, url, prompt, own)
    return bad


def ask_own_mode(arguments, identity, schema, validator, url, prompt, own):
    """Asks the server alone; 1 where it says that it is done, and the value is not valid."""
    text, problem = own_mode(url, schema, prompt, arguments.tokens)
    if problem:
        count(own, problem)
        return 0
    try:
        if validator.is_valid(json.loads(text)):
            count(own, "valid")
            return 0
        count(own, "200 and invalid")
    except ValueError:
        count(own, "200 and no JSON")
    if arguments.only_own_mode:
        print(f"INVALID {identity}: {text[:300]}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
