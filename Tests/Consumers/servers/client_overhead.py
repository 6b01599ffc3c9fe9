#!/usr/bin/env python3
"""Time what the client adds to an answer of a server, beside `curl`.

    swift build -c release --package-path Benchmarks --product clientbench
    python Tests/Consumers/servers/client_overhead.py [--tokens 400]

A stub on loopback answers with text in `--tokens` pieces, or with a value of a schema: the first piece at once, the others 5 ms later. Printed are the medians of the time to
the first token and of the whole answer, of the client and of `curl -N`, and the processor time of the client for a token.
"""
import argparse, json, os, subprocess, sys, tempfile, threading, time, socket

PAUSE = 0.005


def answer(text, pieces):
    """The bytes of a whole answer of Chat Completions, one event for each piece."""
    def event(delta, finish=None):
        chunk = {"id": "c", "model": "m", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
        return "data: " + json.dumps(chunk, separators=(",", ":")) + "\n\n"

    size = -(-len(text) // pieces)
    events = [event({"content": text[at:at + size]}) for at in range(0, len(text), size)]
    usage = {"id": "c", "choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": len(events)}}
    end = event({}, "stop") + "data: " + json.dumps(usage) + "\n\ndata: [DONE]\n\n"
    body = "".join(events) + end
    head = (
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
        f"Content-Length: {len(body.encode())}\r\n\r\n"
    )
    first = (head + events[0]).encode()
    return first, ("".join(events[1:]) + end).encode()


def serve(listener, parts):
    """Answers one request after the other on each connection."""
    def connection(client):
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        data = b""
        while True:
            while b"\r\n\r\n" not in data:
                more = client.recv(65536)
                if not more:
                    return
                data += more
            head, data = data.split(b"\r\n\r\n", 1)
            length = next((int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length")), 0)
            while len(data) < length:
                data += client.recv(65536)
            data = data[length:]
            client.sendall(parts[0])
            # As a model does, and so that the time to the first token has nothing of the others in it.
            time.sleep(PAUSE)
            client.sendall(parts[1])

    while True:
        client, _ = listener.accept()
        threading.Thread(target=connection, args=(client,), daemon=True).start()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tokens", type=int, default=400)
    parser.add_argument("--requests", type=int, default=300)
    parser.add_argument("--command", default="Benchmarks/.build/release/clientbench")
    arguments = parser.parse_args()
    words = "Three days in Kyoto with a temple, the market and a walk along the river. " * 60
    value = json.dumps({"days": [{"day": n % 31, "plan": words[:60]} for n in range(25)]}, separators=(",", ":"))
    schema = {
        "type": "object", "required": ["days"], "additionalProperties": False,
        "properties": {"days": {"type": "array", "items": {
            "type": "object", "required": ["day", "plan"], "additionalProperties": False,
            "properties": {"day": {"type": "integer", "minimum": 0, "maximum": 31}, "plan": {"type": "string"}},
        }}},
    }
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(schema, file)
        file.flush()
        for name, text, more in (("text", words[:2000], []), ("value of a schema", value, ["--schema", file.name])):
            listener = socket.create_server(("127.0.0.1", 0))
            threading.Thread(target=serve, args=(listener, answer(text, arguments.tokens)), daemon=True).start()
            url = f"http://127.0.0.1:{listener.getsockname()[1]}"
            # One process of curl with many requests over one connection.
            body = json.dumps({"messages": [{"role": "user", "content": "Hi"}], "stream": True})
            command = ["curl", "-sN", "-o", "/dev/null", "-w", "%{time_starttransfer} %{time_total}\n", "-d", body, url + "/v1/chat/completions"]
            for _ in range(arguments.requests - 1):
                command += ["--next", "-sN", "-o", "/dev/null", "-w", "%{time_starttransfer} %{time_total}\n", "-d", body, url + "/v1/chat/completions"]
            lines = [tuple(map(float, line.split())) for line in subprocess.run(command, capture_output=True, text=True).stdout.splitlines()]
            firsts, totals = (sorted(column)[len(lines) // 2] * 1000 for column in zip(*lines))
            print(f"{name}: curl: first byte {firsts:.3f} ms, all {totals:.3f} ms")
            done = subprocess.run(
                [arguments.command, url, "--requests", str(arguments.requests), *more], capture_output=True, text=True
            )
            if done.returncode:
                print(done.stderr)
                return 1
            first, total, tokens, processor = done.stdout.split()
            print(
                f"{name}: client: first token {first} ms, all {total} ms, {tokens} tokens; "
                f"{processor} µs of processor time a token"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
