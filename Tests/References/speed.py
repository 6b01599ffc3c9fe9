"""The speed of llama.cpp: speed.py FILE PROMPT_TOKENS DECODED_TOKENS THREADS → [prompt, decode] tokens/s."""

import json
import sys
import time

try:
    from llamacpp import LlamaCpp
except ImportError as error:
    print(f"skipped: {error}", file=sys.stderr)
    sys.exit(3)

path, prompt_count, decode_count, threads = sys.argv[1], *map(int, sys.argv[2:5])
model = LlamaCpp(path, threads=threads)
text = "The lighthouse keeper counted the ships that passed before the storm came in. "
prompt = model.tokenize(text * (prompt_count // 8 + 1))[:prompt_count]
# With one thread the processor's time, as localbench measures too.
now = time.process_time if threads == 1 else time.perf_counter
# Once to warm up, as the pages of the file are read then.
model.append(prompt)
model.clear()
start = now()
logits = model.append(prompt)
read = now()
for _ in range(decode_count):
    logits = model.append([int(logits.argmax())])
end = now()
json.dump([prompt_count / (read - start), decode_count / (end - read)], sys.stdout)
