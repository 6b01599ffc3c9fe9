#!/usr/bin/env python3
"""Run `espalier serve` under clients from PyPI: `openai` and `instructor`; one that is not installed is skipped.

    pip install openai instructor
    swift build --product espalier
    python Tests/Consumers/servers/clients.py [--model smollm2|MODEL.gguf] [--espalier .build/debug/espalier]

Without --model the sampling model answers: values are valid and mean nothing, which is all that a client sees.
"""
import argparse, json, os, subprocess, sys, threading

checks = []


def check(body):
    checks.append(body)
    return body


SCHEMA = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "minLength": 1, "maxLength": 12},
        "nights": {"type": "integer", "minimum": 1, "maximum": 14, "multipleOf": 7},
        "tags": {"type": "array", "items": {"enum": ["a", "b", "c"]}, "uniqueItems": True, "minItems": 2},
    },
    "required": ["city", "nights", "tags"],
    "additionalProperties": False,
}
FORMAT = {"type": "json_schema", "json_schema": {"name": "stay", "strict": True, "schema": SCHEMA}}
TOOL = {"type": "function", "function": {"name": "book", "description": "Books a stay", "parameters": SCHEMA}}


def is_stay(text):
    value = json.loads(text)
    assert list(value) == ["city", "nights", "tags"], value
    assert value["nights"] in (7, 14) and 1 <= len(value["city"]) <= 12, value
    assert len(set(value["tags"])) == len(value["tags"]) >= 2, value


ASK = [{"role": "user", "content": "A stay in Rome"}]


@check
def models(client, model):
    assert [m.id for m in client.models.list()] == [model]


@check
def chat(client, model):
    answer = client.chat.completions.create(model=model, messages=ASK, max_tokens=16)
    assert answer.choices[0].message.content
    assert answer.choices[0].finish_reason in ("stop", "length")
    assert answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens


@check
def chat_streamed(client, model):
    stream = client.chat.completions.create(
        model=model, messages=ASK, max_tokens=16, stream=True, stream_options={"include_usage": True}
    )
    chunks = list(stream)
    assert "".join(c.choices[0].delta.content or "" for c in chunks if c.choices)
    assert chunks[-1].usage and not chunks[-1].choices
    assert [c.choices[0].finish_reason for c in chunks if c.choices][-1] in ("stop", "length")


@check
def structured(client, model):
    for seed in range(10):
        answer = client.chat.completions.create(model=model, messages=ASK, response_format=FORMAT, seed=seed)
        is_stay(answer.choices[0].message.content)


@check
def structured_streamed(client, model):
    stream = client.chat.completions.create(model=model, messages=ASK, response_format=FORMAT, stream=True)
    is_stay("".join(c.choices[0].delta.content or "" for c in stream if c.choices))


@check
def parsed(client, model):
    from typing import Literal
    from pydantic import BaseModel

    class Stay(BaseModel):
        city: str
        room: Literal["single", "double"]
        nights: int

    answer = client.chat.completions.parse(model=model, messages=ASK, response_format=Stay)
    assert answer.choices[0].message.parsed.room in ("single", "double")


@check
def tools(client, model):
    answer = client.chat.completions.create(model=model, messages=ASK, tools=[TOOL], tool_choice="required")
    call = answer.choices[0].message.tool_calls[0]
    assert answer.choices[0].finish_reason == "tool_calls" and call.function.name == "book"
    is_stay(call.function.arguments)
    again = ASK + [answer.choices[0].message, {"role": "tool", "tool_call_id": call.id, "content": "Booked."}]
    assert client.chat.completions.create(model=model, messages=again, tools=[TOOL], tool_choice="none", max_tokens=16)


@check
def tools_named_and_streamed(client, model):
    choice = {"type": "function", "function": {"name": "book"}}
    stream = client.chat.completions.create(
        model=model, messages=ASK, tools=[TOOL], tool_choice=choice, stream=True
    )
    calls = [call for c in stream if c.choices for call in c.choices[0].delta.tool_calls or []]
    assert calls[0].id and calls[0].function.name == "book"
    is_stay("".join(call.function.arguments or "" for call in calls if call.index == 0))


@check
def responses(client, model):
    answer = client.responses.create(model=model, input="A stay in Rome", max_output_tokens=16)
    assert answer.output_text and answer.usage.output_tokens
    answer = client.responses.create(
        model=model, instructions="Be brief.", input=ASK,
        text={"format": {"type": "json_schema", "name": "stay", "schema": SCHEMA}},
    )
    is_stay(answer.output_text)


@check
def responses_streamed(client, model):
    text, types = "", []
    with client.responses.stream(
        model=model, input="A stay", text={"format": {"type": "json_schema", "name": "stay", "schema": SCHEMA}}
    ) as stream:
        for event in stream:
            types.append(event.type)
            if event.type == "response.output_text.delta":
                text += event.delta
        assert stream.get_final_response().output_text == text
    assert types[0] == "response.created" and types[-1] == "response.completed"
    is_stay(text)


@check
def responses_tools(client, model):
    tool = {"type": "function", "name": "book", "description": "Books a stay", "parameters": SCHEMA}
    answer = client.responses.create(model=model, input="A stay", tools=[tool], tool_choice="required")
    call = next(item for item in answer.output if item.type == "function_call")
    is_stay(call.arguments)


@check
def refusals(client, model):
    import openai

    def place(**more):
        try:
            client.chat.completions.create(**{"model": model, "messages": ASK, **more})
        except openai.APIStatusError as error:
            assert error.body["message"], error.body
            return error.status_code, error.body["param"]
        raise AssertionError(f"{more} was not refused")

    assert place(n=2) == (400, "n")
    assert place(logprobs=True) == (400, "logprobs")
    assert place(frequency_penalty=1) == (400, "frequency_penalty")
    assert place(extra_body={"guided_json": {}}) == (400, "guided_json")
    assert place(messages=[]) == (400, "messages")
    assert place(messages=[{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "http://a"}}]}]) == (
        400, "messages[0].content[0]",
    )
    assert place(model="another") == (404, "model")
    bad = {"type": "json_schema", "json_schema": {"name": "a", "schema": {"type": "string", "pattern": "(?<a"}}}
    assert place(response_format=bad)[0] == 400
    assert place(response_format=bad, stream=True)[0] == 400


@check
def at_once(client, model):
    results = []

    def ask(seed):
        answer = client.chat.completions.create(model=model, messages=ASK, response_format=FORMAT, seed=seed)
        results.append(answer.choices[0].message.content)

    threads = [threading.Thread(target=ask, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 8
    for text in results:
        is_stay(text)


@check
def abandoned_streams(client, model):
    for _ in range(5):
        stream = client.chat.completions.create(model=model, messages=ASK, stream=True, response_format=FORMAT)
        next(iter(stream))
        stream.close()
    models(client, model)


@check
def instructor_model(client, model):
    try:
        import instructor
    except Exception as error:
        print(f"  (skipped: instructor cannot be imported: {error})")
        return
    from pydantic import BaseModel, Field

    class Stay(BaseModel):
        city: str = Field(min_length=1, max_length=12)
        nights: int = Field(ge=1, le=14)

    for mode in (instructor.Mode.TOOLS, instructor.Mode.JSON_SCHEMA):
        patched = instructor.from_openai(client, mode=mode)
        stay = patched.chat.completions.create(model=model, messages=list(ASK), response_model=Stay, max_retries=0)
        assert 1 <= stay.nights <= 14 and 1 <= len(stay.city) <= 12


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="sampling")
    parser.add_argument("--espalier", default=".build/debug/espalier")
    arguments = parser.parse_args()
    try:
        import openai
    except ImportError:
        print("skipped: openai is not installed")
        return 0
    server = subprocess.Popen(
        [arguments.espalier, "serve", "--model", arguments.model, "--port", "0", "--key-variable", "SERVE_KEY"],
        stdout=subprocess.PIPE, text=True, env={**os.environ, "SERVE_KEY": "a-key"},
    )
    failures = 0
    try:
        address = server.stdout.readline().split()[-1]
        wrong = openai.OpenAI(base_url=address + "/v1", api_key="another", max_retries=0)
        try:
            wrong.models.list()
            raise SystemExit("a wrong key was taken")
        except openai.AuthenticationError:
            pass
        client = openai.OpenAI(base_url=address + "/v1", api_key="a-key", max_retries=0)
        model = client.models.list().data[0].id
        for body in checks:
            try:
                body(client, model)
                print(f"ok      {body.__name__}")
            except Exception as error:
                failures += 1
                print(f"FAILED  {body.__name__}: {type(error).__name__}: {error}")
    finally:
        server.kill()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
