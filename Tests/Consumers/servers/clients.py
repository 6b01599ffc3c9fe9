#!/usr/bin/env python3
"""Run `espalier serve` under clients from PyPI: `openai`, `instructor`, `pydantic-ai` and `litellm`.

One that is not installed is skipped.

    pip install openai instructor pydantic-ai-slim[openai] litellm
    swift build --product espalier
    python Tests/Consumers/servers/clients.py [--model smollm2|MODEL.gguf] [--espalier .build/debug/espalier]

Without --model the sampling model answers: values are valid and mean nothing, which is all that a client sees.
"""
import argparse, importlib, json, os, re, subprocess, sys, threading

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
    assert place(extra_body={"guided_regex": "(?<a"}) == (400, "guided_regex")
    assert place(extra_body={"guided_toml": "a"}) == (400, "guided_toml")
    assert place(messages=[]) == (400, "messages")
    assert place(messages=[{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "http://a"}}]}]) == (
        400, "messages[0].content[0]",
    )
    assert place(model="another") == (404, "model")
    bad = {"type": "json_schema", "json_schema": {"name": "a", "schema": {"type": "string", "pattern": "(?<a"}}}
    assert place(response_format=bad)[0] == 400
    assert place(response_format=bad, stream=True)[0] == 400


@check
def guided_by_fields_of_vllm(client, model):
    def text(**fields):
        reply = client.chat.completions.create(model=model, messages=ASK, max_tokens=40, extra_body=fields)
        return reply.choices[0].message.content

    assert text(guided_choice=["red", "green"]) in ("red", "green")
    assert re.fullmatch("[a-c]{3}", text(guided_regex="[a-c]{3}"))
    assert re.fullmatch("a[0-9]", text(grammar='root ::= "a" [0-9]'))
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": False}
    assert list(json.loads(text(guided_json=schema))) == ["n"]


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


def imported(name):
    """A module, or nothing where it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise Skipped(f"{name} cannot be imported: {error}")


class Skipped(Exception):
    pass


def stay_model():
    from pydantic import BaseModel, Field

    class Stay(BaseModel):
        city: str = Field(min_length=1, max_length=12)
        nights: int = Field(ge=1, le=14)

    return Stay


def holds(stay):
    assert 1 <= stay.nights <= 14 and 1 <= len(stay.city) <= 12, stay


@check
def instructor_model(client, model):
    instructor = imported("instructor")
    for mode in (instructor.Mode.TOOLS, instructor.Mode.JSON_SCHEMA):
        patched = instructor.from_openai(client, mode=mode)
        holds(
            patched.chat.completions.create(
                model=model, messages=list(ASK), response_model=stay_model(), max_retries=0
            )
        )


def pydantic_agent(client, model, route="Chat", **options):
    imported("pydantic_ai")
    from openai import AsyncOpenAI
    from pydantic_ai import Agent
    from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
    from pydantic_ai.providers.openai import OpenAIProvider

    asking = AsyncOpenAI(base_url=str(client.base_url), api_key=client.api_key, max_retries=0)
    kind = OpenAIChatModel if route == "Chat" else OpenAIResponsesModel
    return Agent(kind(model, provider=OpenAIProvider(openai_client=asking)), retries=0, **options)


@check
def pydantic_ai_structured(client, model):
    imported("pydantic_ai")
    from pydantic_ai import NativeOutput, ToolOutput

    for route in ("Chat", "Responses"):
        for form in (NativeOutput, ToolOutput):
            agent = pydantic_agent(client, model, route, output_type=form(stay_model()))
            result = agent.run_sync("A stay in Rome")
            holds(result.output)


@check
def pydantic_ai_tools(client, model):
    agent = pydantic_agent(client, model, output_type=stay_model())

    @agent.tool_plain
    def free_rooms(nights_wanted: int) -> str:
        """How many rooms are free."""
        return "3" if nights_wanted < 8 else "none"

    # The model calls one of the tools each time, until it calls the one that is the output.
    holds(agent.run_sync("A stay in Rome").output)


@check
def pydantic_ai_streamed(client, model):
    imported("pydantic_ai")
    import asyncio
    from pydantic_ai import NativeOutput

    async def stream():
        agent = pydantic_agent(client, model, output_type=NativeOutput(stay_model()))
        async with agent.run_stream("A stay in Rome") as result:
            snapshots = [snapshot async for snapshot in result.stream_output(debounce_by=None)]
        return snapshots

    snapshots = asyncio.run(stream())
    assert len(snapshots) > 1
    holds(snapshots[-1])


@check
def pydantic_ai_refusals(client, model):
    imported("pydantic_ai")
    from pydantic_ai.exceptions import ModelHTTPError

    try:
        pydantic_agent(client, model).run_sync("A stay", model_settings={"frequency_penalty": 1.0})
    except ModelHTTPError as error:
        assert error.status_code == 400 and error.body["param"] == "frequency_penalty", error.body
        return
    raise AssertionError("a penalty was not refused")


def litellm_completion(client, model, **more):
    # Its table of prices would be fetched.
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    litellm = imported("litellm")
    litellm.suppress_debug_info = True
    return litellm.completion(
        model="openai/" + model, api_base=str(client.base_url), max_retries=0,
        **{"api_key": client.api_key, "messages": ASK, **more},
    )


@check
def litellm_structured(client, model):
    is_stay(litellm_completion(client, model, response_format=FORMAT).choices[0].message.content)
    holds(stay_model().model_validate_json(
        litellm_completion(client, model, response_format=stay_model()).choices[0].message.content
    ))


@check
def litellm_streamed(client, model):
    chunks = list(litellm_completion(
        client, model, response_format=FORMAT, stream=True, stream_options={"include_usage": True}
    ))
    is_stay("".join(c.choices[0].delta.content or "" for c in chunks if c.choices))
    assert any(getattr(c, "usage", None) for c in chunks)


@check
def litellm_tools(client, model):
    answer = litellm_completion(client, model, tools=[TOOL], tool_choice="required")
    assert answer.choices[0].finish_reason == "tool_calls"
    call = answer.choices[0].message.tool_calls[0]
    is_stay(call.function.arguments)
    again = ASK + [answer.choices[0].message, {"role": "tool", "tool_call_id": call.id, "content": "Booked."}]
    answer = litellm_completion(client, model, messages=again, tools=[TOOL], tool_choice="none", max_tokens=16)
    assert answer.choices[0].message.content


@check
def litellm_refusals(client, model):
    litellm = imported("litellm")
    for error, more in (
        (litellm.BadRequestError, {"frequency_penalty": 1}),
        (litellm.AuthenticationError, {"api_key": "another"}),
    ):
        try:
            litellm_completion(client, model, **more)
        except error:
            continue
        raise AssertionError(f"{more} was not refused")


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
        [arguments.espalier, "serve", "--model", arguments.model, "--port", "0", "--quiet", "--key-variable", "SERVE_KEY"],
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
            except Skipped as reason:
                print(f"skipped {body.__name__}: {reason}")
            except Exception as error:
                failures += 1
                print(f"FAILED  {body.__name__}: {type(error).__name__}: {error}")
    finally:
        server.kill()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
