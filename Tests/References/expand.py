"""Writes a model file's weights in 32 bits: what llama.cpp then computes has no rounding of its own.

    expand.py SmolLM2-135M-Instruct.Q4_1.gguf SmolLM2-135M-Instruct.F32.gguf

Needs the packages gguf and numpy.
"""

import sys

import numpy as np
from gguf import GGMLQuantizationType, GGUFReader, GGUFValueType, GGUFWriter
from gguf.quants import dequantize


def main(source, target):
    reader = GGUFReader(source)
    architecture = reader.fields["general.architecture"].contents()
    writer = GGUFWriter(target, architecture)
    for name, field in reader.fields.items():
        if name.startswith("GGUF.") or name == "general.architecture":
            continue
        kind = field.types[0]
        element = field.types[-1] if kind == GGUFValueType.ARRAY else None
        writer.add_key_value(name, field.contents(), kind, element)
    for tensor in reader.tensors:
        if tensor.tensor_type == GGMLQuantizationType.F32:
            values = tensor.data
        else:
            values = dequantize(tensor.data, tensor.tensor_type)
        shape = [int(extent) for extent in reversed(tensor.shape)]
        writer.add_tensor(tensor.name, np.asarray(values, dtype=np.float32).reshape(shape))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


main(*sys.argv[1:])
