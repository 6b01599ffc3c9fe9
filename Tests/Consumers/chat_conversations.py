"""Conversations for comparing chat templates, made from a seed.

    python Tests/Consumers/chat_conversations.py [--seed N] [--count N] > conversations.jsonl

Each line is what `transformers` hands a chat template: messages, tools, add_generation_prompt, bos_token, eos_token and
what a template may ask for besides. The first lines cover each feature once; those after combine them by chance.
"""

import argparse
import json
import random
import string

WORDS = "the a river stone walks slowly under bright cold glass, (maybe) \"quoted\" it's 42% of <b>what</b> & why?".split()
ODD = [
    "Grüße aus Köln", "日本語のテキスト", "🐟🏳️‍🌈 emoji", "e\u0301 combining", "line\nbreaks\n\nand\ttabs", " leading and trailing ",
    "<|im_end|> <|eot_id|> [/INST] </s>", "{{ not.a.template }} {% if x %}", "back\\slash \"quotes\" 'single'", "\u2028\u00a0\u3000spaces\u3000",
    "null\u0000byte? \u0007 \u001b[0m", "</think> after", "<think>inside</think>done", "<tool_response>x</tool_response>", "", "\n",
    "مرحبا بالعالم", "a" * 300, "percent %s %d {0} {}", "ﬁ ß ǅ İ", "\r\nwindows\r\n",
]
SCHEMAS = [
    {"type": "object", "properties": {"city": {"type": "string", "description": "The city, e.g. \"Paris\""}}, "required": ["city"]},
    {"type": "object", "properties": {
        "unit": {"type": "string", "enum": ["celsius", "fahrenheit"], "description": "Unit <b>", "default": "celsius"},
        "days": {"type": "integer", "description": "Days", "minimum": 1, "maximum": 14, "default": 3},
        "ratio": {"type": "number", "description": "A ratio", "default": 0.5},
        "flags": {"type": "array", "items": {"type": "string"}, "description": "Flags"},
        "deep": {"type": "object", "description": "Nested", "properties": {
            "a": {"type": "array", "items": {"type": "object", "properties": {"b": {"type": "boolean", "description": "b"}}, "required": []}, "description": "list of b"},
            "n": {"type": "null", "description": "nothing"}}, "required": ["a"], "additionalProperties": False},
        "either": {"anyOf": [{"type": "string"}, {"type": "integer"}], "description": "One of two"},
        "many": {"type": ["string", "null"], "description": "Perhaps", "nullable": True},
        "one": {"oneOf": [{"type": "string", "description": "x"}, {"type": "number"}], "description": "o", "default": "q"},
        "map": {"type": "object", "additionalProperties": {"type": "integer"}, "description": "map"}},
     "required": ["unit", "days"]},
    {"type": "object", "properties": {}},
    {"type": "object", "properties": {"größe": {"type": "number", "description": "Unicode ü"}, "x<y": {"type": "string", "description": "odd & key"}}, "required": ["größe", "x<y"]},
]
NAMES = ["get_weather", "search", "noop", "bestelle", "python", "brave_search"]


class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def text(self, long=False):
        r = self.random
        if r.random() < 0.35:
            return r.choice(ODD)
        return " ".join(r.choice(WORDS) for _ in range(r.randint(200, 900) if long else r.randint(1, 14)))

    def identity(self):
        return "".join(self.random.choice(string.ascii_letters + string.digits) for _ in range(9))

    def tool(self, index):
        r = self.random
        function = {"name": NAMES[index % len(NAMES)], "description": self.text(), "parameters": SCHEMAS[index % len(SCHEMAS)]}
        if r.random() < 0.15:
            function["return"] = {"type": "string", "description": "What comes back"}
        if r.random() < 0.15:
            function["strict"] = True
        return {"type": "function", "function": function}

    def value(self, depth=0):
        r = self.random
        kind = r.randrange(8 if depth < 3 else 6)
        return [
            lambda: self.text(), lambda: r.randint(-5, 10**6), lambda: r.choice([0.1, 1.0, -2.5e-7, 1e22, 3.14159, 100.0]),
            lambda: r.random() < 0.5, lambda: None, lambda: r.choice([12345678901234567890, 0, -1]),
            lambda: [self.value(depth + 1) for _ in range(r.randint(0, 3))],
            lambda: {self.random.choice(["a", "b", "ü", "c d", "e\"f"]): self.value(depth + 1) for _ in range(r.randint(0, 3))},
        ][kind]()

    def arguments(self):
        return {key: self.value() for key in self.random.sample(["city", "unit", "days", "größe", "x<y", "q"], self.random.randint(0, 3))}

    def calls(self, count, as_text=False):
        result = []
        for _ in range(count):
            arguments = self.arguments()
            result.append({"type": "function", "id": self.identity(), "function": {
                "name": self.random.choice(NAMES), "arguments": json.dumps(arguments, ensure_ascii=False) if as_text else arguments}})
        return result

    def parts(self):
        return [{"type": "text", "text": self.text()} for _ in range(self.random.randint(1, 3))]

    def conversation(self, turns=None, system=None, tools=None, calls=0, results=True, reasoning=None, parts=False,
                     content=None, as_text=False, long=False, prompt=True, **more):
        r = self.random
        messages = []
        if system is not None:
            messages.append({"role": "system", "content": self.text(long) if system is True else system})
        for turn in range(turns if turns is not None else r.randint(1, 3)):
            messages.append({"role": "user", "content": self.parts() if parts else self.text(long)})
            if calls:
                made = self.calls(calls, as_text)
                message = {"role": "assistant", "content": content, "tool_calls": made}
                if content == "absent":
                    del message["content"]
                if reasoning:
                    message[reasoning] = self.text()
                messages.append(message)
                if results:
                    for call in made:
                        messages.append({"role": "tool", "name": call["function"]["name"], "tool_call_id": call["id"],
                                         "content": r.choice([self.text(), json.dumps(self.value(), ensure_ascii=False)])})
                    if r.random() < 0.5 and turn + 1 < (turns or 1):
                        continue
            message = {"role": "assistant", "content": self.text(long)}
            if reasoning:
                message[reasoning] = self.text()
            messages.append(message)
        if prompt and messages and messages[-1]["role"] == "assistant" and r.random() < 0.8 and "tool_calls" not in messages[-1]:
            messages.append({"role": "user", "content": self.text()})
        result = {"messages": messages}
        if tools:
            result["tools"] = [self.tool(i) for i in range(tools)]
        result["add_generation_prompt"] = prompt
        result["bos_token"] = "<s>"
        result["eos_token"] = "</s>"
        result.update(more)
        return result

    def fixed(self):
        c = self.conversation
        user = [{"role": "user", "content": "Hello"}]
        bare = {"bos_token": "<s>", "eos_token": "</s>"}
        return [
            {"messages": user, "add_generation_prompt": True, **bare},
            {"messages": user, **bare},
            {"messages": [], "add_generation_prompt": True, **bare},
            {"messages": [{"role": "system", "content": "Only."}], "add_generation_prompt": True, **bare},
            {"messages": user, "tools": None, "documents": None, "add_generation_prompt": False, **bare},
            c(turns=1, system=True), c(turns=2, system=None), c(turns=3, system=""), c(turns=2, prompt=False),
            c(turns=1, tools=1), c(turns=1, tools=2, system=True), c(turns=2, tools=4, system=True), c(turns=1, tools=3, prompt=False),
            c(turns=1, tools=2, calls=1, content=""), c(turns=2, tools=2, calls=1, content=None), c(turns=2, tools=4, calls=1, content="Let me see."),
            c(turns=1, tools=2, calls=3, content=""), c(turns=2, tools=2, calls=2, content=None, system=True), c(turns=1, tools=2, calls=1, content="absent"),
            c(turns=1, tools=2, calls=1, content="", as_text=True), c(turns=2, tools=2, calls=2, content=None, as_text=True),
            c(turns=1, tools=1, calls=1, results=False, content="", prompt=False), c(turns=1, calls=1, content=""),
            c(turns=2, reasoning="reasoning_content"), c(turns=1, tools=2, calls=1, content="", reasoning="reasoning_content"),
            c(turns=2, reasoning="thinking"), c(turns=1, tools=2, calls=1, content="", reasoning="thinking"), c(turns=1, reasoning="thinking", prompt=False),
            c(turns=1, enable_thinking=False), c(turns=1, enable_thinking=True), c(turns=2, tools=1, enable_thinking=False),
            c(turns=1, thinking=True), c(turns=1, thinking=False, system=True), c(turns=1, reasoning_effort="high", builtin_tools=["browser", "python"]),
            c(turns=1, parts=True), c(turns=2, parts=True, system=True, tools=1), c(turns=6, system=True, long=True), c(turns=20, long=True),
            c(turns=1, documents=[{"doc_id": 1, "title": "T", "text": "Text ü"}, {"doc_id": "b", "title": "", "text": ""}]),
            c(turns=1, documents=[{"doc_id": 1, "text": "T"}], tools=1, controls={"citations": True, "hallucinations": True}),
            c(turns=1, tools=1, tools_in_user_message=False), c(turns=1, custom_tools=[self.tool(0)], date_string="1 Jan 2030", builtin_tools=["brave_search"]),
            c(turns=1, tools=2, calls=1, content="", builtin_tools=["brave_search", "python"]),
            {"messages": user + [{"role": "assistant", "content": "<think>\nhm\n</think>\n\nyes"}] + user, "add_generation_prompt": True, **bare},
            {"messages": user + [{"role": "tool", "content": "stray"}], "add_generation_prompt": True, **bare},
            {"messages": user + user, "add_generation_prompt": True, **bare},
            {"messages": [{"role": "assistant", "content": "first"}] + user, "add_generation_prompt": True, **bare},
            {"messages": user + [{"role": "developer", "content": "odd role"}], "add_generation_prompt": True, **bare},
            {"messages": [{"role": "developer", "content": "dev"}] + user, "add_generation_prompt": True, **bare},
            {"messages": user + [{"role": "tool", "content": {"content": 5, "k": [1.5, True, None]}, "tool_call_id": "abcdefghi"}], "add_generation_prompt": True, **bare},
        ]

    def any(self):
        r = self.random
        more = {}
        if r.random() < 0.3:
            more["enable_thinking"] = r.random() < 0.5
        return self.conversation(
            turns=r.randint(0, 5), system=r.choice([None, True, "", "Be brief."]), tools=r.choice([0, 0, 1, 2, 4]),
            calls=r.choice([0, 0, 1, 1, 2, 3]), results=r.random() < 0.8, reasoning=r.choice([None, None, "reasoning_content", "thinking"]),
            parts=r.random() < 0.1, content=r.choice(["", None, "absent", "Hm."]), as_text=r.random() < 0.3,
            long=r.random() < 0.1, prompt=r.random() < 0.8, **more)


def conversations(seed, count):
    maker = Maker(seed)
    result = maker.fixed()
    while len(result) < count:
        result.append(maker.any())
    return result[:count] if count < len(result) else result


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=120)
    options = parser.parse_args()
    for conversation in conversations(options.seed, options.count):
        print(json.dumps(conversation, ensure_ascii=False))
