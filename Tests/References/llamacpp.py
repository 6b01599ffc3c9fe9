"""llama.cpp through the shared library of the `xllamacpp` wheel, for comparisons.

The wheel's extension module exports llama.cpp's C functions; they are called with ctypes. Structures
that are passed by value are larger than any version's: the callee reads what it knows. Positions of
fields are found by their default values, so that a new version is either understood or refused.
"""

import ctypes
import glob
import importlib.util
import os
import struct

import numpy as np


class Blob(ctypes.Structure):
    _fields_ = [("words", ctypes.c_uint32 * 128)]


class Batch(ctypes.Structure):
    _fields_ = [
        ("n_tokens", ctypes.c_int32),
        ("token", ctypes.c_void_p),
        ("embd", ctypes.c_void_p),
        ("pos", ctypes.c_void_p),
        ("n_seq_id", ctypes.c_void_p),
        ("seq_id", ctypes.c_void_p),
        ("logits", ctypes.c_void_p),
    ]


LogCallback = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p)
EvalCallback = ctypes.CFUNCTYPE(
    ctypes.c_bool, ctypes.c_void_p, ctypes.c_bool, ctypes.c_void_p
)


def load_library():
    spec = importlib.util.find_spec("xllamacpp")
    if spec is None or spec.origin is None:
        raise ImportError("xllamacpp is not installed")
    (path,) = glob.glob(os.path.join(os.path.dirname(spec.origin), "xllamacpp*.so"))
    # The extension needs the interpreter's own symbols, which are there.
    return ctypes.CDLL(path)


def prepare(lib):
    p, i32, i64 = ctypes.c_void_p, ctypes.c_int32, ctypes.c_int64
    for name, result, arguments in [
        ("llama_backend_init", None, []),
        ("ggml_backend_load_all", None, []),
        ("llama_model_default_params", Blob, []),
        ("llama_context_default_params", Blob, []),
        ("llama_model_load_from_file", p, [ctypes.c_char_p, Blob]),
        ("llama_init_from_model", p, [p, Blob]),
        ("llama_model_get_vocab", p, [p]),
        ("llama_vocab_n_tokens", i32, [p]),
        ("llama_tokenize", i32, [p, ctypes.c_char_p, i32, p, i32, ctypes.c_bool, ctypes.c_bool]),
        ("llama_batch_get_one", Batch, [p, i32]),
        ("llama_decode", i32, [p, Batch]),
        ("llama_get_logits_ith", p, [p, i32]),
        ("llama_get_memory", p, [p]),
        ("llama_memory_clear", None, [p, ctypes.c_bool]),
        ("llama_free", None, [p]),
        ("llama_model_free", None, [p]),
        ("ggml_get_name", ctypes.c_char_p, [p]),
        ("ggml_nelements", i64, [p]),
        ("ggml_nbytes", ctypes.c_size_t, [p]),
        ("ggml_get_data", p, [p]),
        ("llama_log_set", None, [LogCallback, p]),
    ]:
        function = getattr(lib, name)
        function.restype = result
        function.argtypes = arguments


class LlamaCpp:
    """A model file, read by llama.cpp."""

    def __init__(self, path, vocab_only=False, threads=1, context=2048, exact=False, trace=None):
        """`exact`: keys and values in 32 bits and no flash attention, to compare with plain sums."""
        lib = self.lib = load_library()
        prepare(lib)
        self.log = LogCallback(lambda level, text, data: None)
        lib.llama_log_set(self.log, None)
        lib.llama_backend_init()
        parameters = lib.llama_model_default_params()
        raw = bytearray(bytes(parameters))
        if vocab_only:
            place = self.flags_offset(raw)
            raw[place] = 1
        self.model = lib.llama_model_load_from_file(path.encode(), Blob.from_buffer_copy(raw))
        if not self.model:
            raise RuntimeError(f"llama.cpp cannot read {path}")
        self.vocab = lib.llama_model_get_vocab(self.model)
        self.size = lib.llama_vocab_n_tokens(self.vocab)
        self.context = None
        if vocab_only:
            return
        raw = bytearray(bytes(lib.llama_context_default_params()))
        words = list(struct.unpack("<128I", raw))
        # 512 (context), 2048 (batch), 512 (micro batch), 1 (sequences) …, threads twice.
        assert words[0:4] == [512, 2048, 512, 1], words[:8]
        words[0] = context
        first = next(i for i in range(4, 10) if words[i] == words[i + 1] > 0)
        assert words[first] < 1024, words[:12]
        words[first] = words[first + 1] = threads
        # −1 (rope scaling), −1 (pooling), −1 (attention), −1 (flash attention: auto).
        scaling = first + 2
        while words[scaling] != 0xFFFFFFFF:
            scaling += 1
        assert words[scaling : scaling + 4] == [0xFFFFFFFF] * 4, words[:16]
        if exact:
            words[scaling + 3] = 0
        # The callback's two pointers are followed by the types of keys and values, 1 = F16.
        types = next(
            i for i in range(scaling + 8, 60, 2)
            if words[i : i + 2] == [1, 1] and words[i - 4 : i] == [0, 0, 0, 0]
        )
        if exact:
            words[types] = words[types + 1] = 0
        if trace is not None:
            self.callback = EvalCallback(lambda t, ask, data: self.traced(t, ask, trace))
            address = ctypes.cast(self.callback, ctypes.c_void_p).value
            words[types - 4] = address & 0xFFFFFFFF
            words[types - 3] = address >> 32
        self.context = lib.llama_init_from_model(
            self.model, Blob.from_buffer_copy(struct.pack("<128I", *words))
        )
        if not self.context:
            raise RuntimeError("llama.cpp cannot make a context")

    @staticmethod
    def flags_offset(raw):
        # After pointers that are null, the flags: eight bytes of 0 or 1, the first of which, for
        # reading the vocabulary only, is 0, and some of which are 1.
        for place in range(40, 120, 8):
            flags = raw[place : place + 8]
            if any(flags) and all(flag <= 1 for flag in flags) and flags[0] == 0:
                return place
        raise RuntimeError("unknown layout of llama_model_params")

    def traced(self, tensor, ask, trace):
        if ask:
            return True
        name = self.lib.ggml_get_name(tensor).decode()
        count = self.lib.ggml_nelements(tensor)
        if self.lib.ggml_nbytes(tensor) == count * 4:
            data = self.lib.ggml_get_data(tensor)
            values = (ctypes.c_float * count).from_address(data)
            trace.append((name, np.array(values, dtype=np.float32)))
        return True

    def tokenize(self, text, special=False, beginning=False):
        data = text.encode() if isinstance(text, str) else text
        room = len(data) + 16
        tokens = (ctypes.c_int32 * room)()
        count = self.lib.llama_tokenize(
            self.vocab, data, len(data), tokens, room, beginning, special
        )
        if count < 0:
            raise RuntimeError("no room for tokens")
        return list(tokens[:count])

    def clear(self):
        self.lib.llama_memory_clear(self.lib.llama_get_memory(self.context), True)

    def append(self, tokens):
        """Reads tokens; the logits of the token after them."""
        array = (ctypes.c_int32 * len(tokens))(*tokens)
        code = self.lib.llama_decode(
            self.context, self.lib.llama_batch_get_one(ctypes.addressof(array), len(tokens))
        )
        if code != 0:
            raise RuntimeError(f"llama_decode: {code}")
        pointer = self.lib.llama_get_logits_ith(self.context, -1)
        return np.array((ctypes.c_float * self.size).from_address(pointer), dtype=np.float32)

    def close(self):
        if self.context:
            self.lib.llama_free(self.context)
        self.lib.llama_model_free(self.model)
