"""What llama.cpp makes of a model file, as JSON on standard output, for the tests.

    reference.py logits FILE TOKENS [--expand]   the logits after tokens such as 1,2,3
    reference.py greedy FILE PROMPTS COUNT [--expand]   the likeliest tokens after each prompt
    reference.py tokens FILE TEXTS               the tokens of each text, with special ones and without
    reference.py words EXPRESSION TEXTS          the words that a regular expression cuts texts into
    reference.py expanded FILE OUTPUT            the file with every tensor in 32 bits
    reference.py texts COUNT                     varied texts

`--expand` writes the weights out in 32 bits first, with the `gguf` package's own arithmetic, and
keeps keys and values in 32 bits: what the weights of the file stand for, without the rounding of
activations to 8 bits. PROMPTS and TEXTS are JSON files of strings. Exits with 3 and a line where a
package is not installed: `pip install xllamacpp gguf`, and `regex` for words.
"""

import json
import os
import sys
import tempfile

try:
    import numpy as np
    from gguf import GGUFReader, GGUFValueType, GGUFWriter, dequantize

    from llamacpp import LlamaCpp
    from strings import texts
except ImportError as error:
    print(f"skipped: {error}", file=sys.stderr)
    sys.exit(3)


def expand(source, target):
    reader = GGUFReader(source)
    writer = GGUFWriter(target, reader.fields["general.architecture"].contents())
    for key, field in reader.fields.items():
        if key.startswith("GGUF.") or key == "general.architecture":
            continue
        kind = field.types[0]
        if kind == GGUFValueType.ARRAY:
            writer.add_key_value(key, field.contents(), kind, sub_type=field.types[-1])
        else:
            writer.add_key_value(key, 0 if key == "general.file_type" else field.contents(), kind)
    for tensor in reader.tensors:
        shape = [int(extent) for extent in reversed(tensor.shape)]
        numbers = dequantize(tensor.data, tensor.tensor_type).astype(np.float32)
        writer.add_tensor(tensor.name, numbers.reshape(shape))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def opened(path, expanded):
    if not expanded:
        return LlamaCpp(path)
    descriptor, target = tempfile.mkstemp(suffix=".gguf")
    os.close(descriptor)
    try:
        expand(path, target)
        return LlamaCpp(target, exact=True)
    finally:
        os.unlink(target)


def main(arguments):
    expanded = "--expand" in arguments
    arguments = [argument for argument in arguments if argument != "--expand"]
    command = arguments[0]
    if command == "logits":
        model = opened(arguments[1], expanded)
        logits = model.append([int(token) for token in arguments[2].split(",")])
        json.dump([float(logit) for logit in logits], sys.stdout)
    elif command == "greedy":
        model = opened(arguments[1], expanded)
        results = []
        for prompt in json.load(open(arguments[2])):
            model.clear()
            logits = model.append(model.tokenize(prompt, special=True))
            first = [float(logit) for logit in logits]
            tokens = []
            for _ in range(int(arguments[3])):
                tokens.append(int(logits.argmax()))
                logits = model.append(tokens[-1:])
            results.append({"tokens": tokens, "logits": first})
        json.dump(results, sys.stdout)
    elif command == "tokens":
        model = LlamaCpp(arguments[1], vocab_only=True)
        json.dump(
            [
                [model.tokenize(text, special=special) for text in json.load(open(arguments[2]))]
                for special in (True, False)
            ],
            sys.stdout,
        )
    elif command == "words":
        import regex

        expression = regex.compile(arguments[1])
        json.dump([expression.findall(text) for text in json.load(open(arguments[2]))], sys.stdout)
    elif command == "expanded":
        expand(arguments[1], arguments[2])
    elif command == "texts":
        json.dump(texts(int(arguments[1])), sys.stdout)
    else:
        sys.exit(__doc__)


main(sys.argv[1:])
