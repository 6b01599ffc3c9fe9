#!/usr/bin/env python3
"""Makes the two files that `maskbench` and `peers.py` read: schemas with instances, and a vocabulary.

  pip install tokenizers
  workload.py --tokenizer tokenizer.json --end '<|eot_id|>' --vocabulary FILE.bin --schemas FOLDER FILE.jsonl

FOLDER holds files of JSON, each an object {"schema": …, "tests": [{"valid": true, "data": …}, …]}: the form of
MaskBench (https://github.com/guidance-ai/jsonschemabench, the folder maskbench/data) and of schemas of your own.
Files without a valid instance are left out, as MaskBench does. --names FILE takes the files that it names, in its
order: Benchmarks/sample.txt has those of the page Performance.

FILE.jsonl has one schema a line: {"id", "split", "schema": text, "tests": [{"valid", "text", "tokens": [ids]}]}.
FILE.bin is `TVOC`, u32 count, u32 end of sequence, then for each token u8 flags (1: special), u16 length and
the bytes; little-endian. Instances are written as `json.dumps` does, with a space after colons and commas.
"""
import argparse, json, os, re, struct


def byte_alphabet():
    """The characters that tokenizers of the kind ByteLevel write bytes with."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in plain]
    return {chr(byte): byte for byte in plain} | {chr(256 + i): byte for i, byte in enumerate(others)}


def token_bytes(text, is_byte_level, alphabet):
    if is_byte_level:
        return bytes(alphabet[character] for character in text)
    if re.fullmatch("<0x[0-9A-F]{2}>", text):
        return bytes([int(text[3:5], 16)])
    return text.replace("\u2581", " ").encode()


def write_vocabulary(file, end, path):
    added = {token["id"]: token for token in file.get("added_tokens", [])}
    tokens = dict(file["model"]["vocab"])
    ends = [id for id, token in added.items() if token["content"] == end] or [tokens.get(end)]
    if ends == [None]:
        raise SystemExit(f"{end} is no token")
    is_byte_level = '"ByteLevel"' in json.dumps(file.get("decoder"))
    alphabet, texts = byte_alphabet(), {}
    for text, id in tokens.items():
        texts[id] = text.encode() if id in added else token_bytes(text, is_byte_level, alphabet)
    texts |= {id: token["content"].encode() for id, token in added.items()}
    count = max(texts) + 1
    with open(path, "wb") as out:
        out.write(b"TVOC" + struct.pack("<II", count, ends[0]))
        for id in range(count):
            text = texts.get(id, b"")
            is_special = id == ends[0] or (id in added and added[id].get("special", False))
            out.write(struct.pack("<BH", is_special, len(text)) + text)
    return count


def split(name):
    return name.split("---")[0] if "---" in name else re.split(r"[_\d]", name)[0]


def chosen(folder, names):
    if names:
        with open(names) as file:
            names = [line.strip() + ".json" for line in file if line.strip()]
    for name in names or sorted(os.listdir(folder)):
        if not name.endswith(".json"):
            continue
        with open(os.path.join(folder, name)) as file:
            record = json.load(file)
        if any(test["valid"] for test in record.get("tests", [])):
            yield name, record


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", metavar="FILE.jsonl")
    parser.add_argument("--schemas", required=True, metavar="FOLDER")
    parser.add_argument("--tokenizer", required=True, metavar="tokenizer.json")
    parser.add_argument("--end", required=True, help="the text of the token that ends an answer")
    parser.add_argument("--vocabulary", required=True, metavar="FILE.bin")
    parser.add_argument("--names", metavar="FILE", help="which files of the folder, a name a line; all otherwise")
    arguments = parser.parse_args()

    import tokenizers

    with open(arguments.tokenizer) as file:
        count = write_vocabulary(json.load(file), arguments.end, arguments.vocabulary)
    tokenizer = tokenizers.Tokenizer.from_file(arguments.tokenizer)
    schemas = instances = 0
    with open(arguments.out, "w") as out:
        for name, record in chosen(arguments.schemas, arguments.names):
            tests = []
            for test in record["tests"]:
                text = json.dumps(test["data"], ensure_ascii=False)
                try:
                    text.encode()
                except UnicodeEncodeError:
                    continue  # Half of a surrogate pair: no text has it.
                ids = tokenizer.encode(text, add_special_tokens=False).ids
                tests.append({"valid": test["valid"], "text": text, "tokens": ids})
            schema = json.dumps(record["schema"], ensure_ascii=False)
            line = {"id": name[:-5], "split": split(name), "schema": schema, "tests": tests}
            out.write(json.dumps(line) + "\n")
            schemas, instances = schemas + 1, instances + len(tests)
    print(f"{schemas} schemas, {instances} instances; {count} tokens")


if __name__ == "__main__":
    main()
