#!/usr/bin/env python3
"""Counts right function calls of servers on the Berkeley Function-Calling Leaderboard's Python questions.

    pip install --no-deps --target bfcl bfcl-eval
    espalier serve --model smollm2 --port 8081
    function_calls.py --package bfcl espalier=http://localhost:8081 llama-server=http://localhost:8971

Each server is asked the same questions in turn, greedily, with `tool_choice` as given. A call is valid if the function
exists and the arguments satisfy its parameters' schema; it is right if the leaderboard's own checker says so. Questions
that a server refuses or does not finish count as wrong.
"""
import argparse
import json
import pathlib
import random
import sys
import time
import types
import urllib.error
import urllib.request

CATEGORIES = ["simple_python", "multiple", "parallel"]
TYPES = {"dict": "object", "float": "number", "tuple": "array", "list": "array"}


def schema(parameters):
    """The parameters of a function in JSON Schema; the leaderboard has Python's names of types."""
    result = {}
    for key, value in parameters.items():
        if key == "type" and value == "any":
            continue
        if key == "type":
            result[key] = TYPES.get(value, value)
        elif key == "properties":
            result[key] = {name: schema(property) for name, property in value.items()}
        elif key == "items":
            result[key] = schema(value)
        elif key in ("description", "enum", "required", "default", "minItems", "maxItems", "minimum", "maximum"):
            result[key] = value
    if result.get("type") == "object":
        result["additionalProperties"] = False
    return result


def tool_name(name):
    """A name without dots, which OpenAI's interface does not allow. So does the leaderboard."""
    return name.replace(".", "_")


def checker(package):
    """The leaderboard's own checker, without the clients of every model that its settings import."""
    sys.path.insert(0, str(package))

    class Settings(dict):
        def __missing__(self, _):
            return types.SimpleNamespace(underscore_to_dot=True)

    settings = types.ModuleType("bfcl_eval.constants.model_config")
    settings.MODEL_CONFIG_MAPPING = Settings()
    sys.modules["bfcl_eval.constants.model_config"] = settings
    for language in ("java", "js"):
        name = f"bfcl_eval.eval_checker.ast_eval.type_convertor.{language}_type_converter"
        sys.modules[name] = types.ModuleType(name)
        setattr(sys.modules[name], f"{language}_type_converter", None)
    from bfcl_eval.constants.enums import Language
    from bfcl_eval.eval_checker.ast_eval.ast_checker import ast_checker

    return lambda functions, calls, answer, category: ast_checker(
        functions, calls, answer, Language.PYTHON, category, "any")["valid"]


def questions(package, category, count, seed):
    folder = package / "bfcl_eval" / "data"
    lines = (folder / f"BFCL_v4_{category}.json").read_text().splitlines()
    answers = (folder / "possible_answer" / f"BFCL_v4_{category}.json").read_text().splitlines()
    answers = {line["id"]: line["ground_truth"] for line in map(json.loads, answers)}
    cases = [(line, answers[line["id"]]) for line in map(json.loads, lines)]
    return random.Random(seed).sample(cases, min(count, len(cases)))


def ask(address, case, choice, limit):
    tools = [{"type": "function",
              "function": {"name": tool_name(f["name"]), "description": f["description"],
                           "parameters": schema(f["parameters"])}} for f in case["function"]]
    body = {"messages": case["question"][0], "tools": tools, "tool_choice": choice, "temperature": 0,
            "max_tokens": limit, "parallel_tool_calls": True}
    request = urllib.request.Request(f"{address}/v1/chat/completions", json.dumps(body).encode(),
                                     {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=120) as response:
        message = json.load(response)["choices"][0]
    calls = message["message"].get("tool_calls") or []
    return [(c["function"]["name"], c["function"]["arguments"]) for c in calls], message["finish_reason"], tools


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("servers", nargs="+", help="NAME=ADDRESS")
    parser.add_argument("--package", type=pathlib.Path, required=True, help="The folder that holds bfcl_eval.")
    parser.add_argument("--count", type=int, default=50, help="Questions of each category.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--choice", default="required", choices=["required", "auto"])
    parser.add_argument("--limit", type=int, default=300, help="Tokens of an answer.")
    parser.add_argument("--differences", action="store_true", help="Print what the servers answered.")
    options = parser.parse_args()
    import jsonschema_rs

    right = checker(options.package)
    print(f"{'category':<15}{'server':<16}{'asked':>6}{'called':>8}{'valid':>7}{'function':>10}{'right':>7}{'s':>8}")
    for category in CATEGORIES:
        cases = questions(options.package, category, options.count, options.seed)
        totals = {}
        for case, answer in cases:
            for server in options.servers:
                name, address = server.split("=", 1)
                total = totals.setdefault(name, dict(called=0, valid=0, function=0, right=0, seconds=0.0))
                started = time.monotonic()
                try:
                    calls, reason, tools = ask(address, case, options.choice, options.limit)
                except (urllib.error.URLError, TimeoutError) as error:
                    calls, reason, tools = [], f"{error} {error.read() if hasattr(error, 'read') else ''}", []
                total["seconds"] += time.monotonic() - started
                schemas = {t["function"]["name"]: t["function"]["parameters"] for t in tools}
                read = []
                valid = bool(calls)
                for function, arguments in calls:
                    try:
                        value = json.loads(arguments)
                        valid &= function in schemas and jsonschema_rs.is_valid(schemas[function], value)
                        read.append({function: value})
                    except json.JSONDecodeError:
                        valid = False
                expected = sorted(tool_name(next(iter(call))) for call in answer)
                named = sorted(function for function, _ in calls) == expected
                try:
                    is_right = len(read) == len(calls) > 0 and right(case["function"], read, answer, category)
                except Exception:  # The checker reads arguments of any form, and does not expect all.
                    is_right = False
                total["called"] += bool(calls)
                total["valid"] += valid
                total["function"] += named
                total["right"] += is_right
                if options.differences:
                    print(f"{case['id']} {name}: {'right' if is_right else 'wrong'} {calls or reason}")
        for name, total in totals.items():
            print(f"{category:<15}{name:<16}{len(cases):>6}{total['called']:>8}{total['valid']:>7}"
                  f"{total['function']:>10}{total['right']:>7}{total['seconds']:>8.0f}", flush=True)


if __name__ == "__main__":
    main()
