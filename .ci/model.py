#!/usr/bin/env python3
"""Creates a tiny language model, and serves it with llama.cpp.

    model.py create FILE          create the model
    model.py serve FILE OPTION…   serve it at http://127.0.0.1:PORT/v1 until the process ends

The model has the architecture of Llama, a small vocabulary and random weights. It never learned anything: its replies
have the structure that the server enforces, and no sense. Every run creates the same file.
"""

import argparse
import signal
import sys

# The vocabulary has these pieces, and the 256 bytes. A piece that begins with _ begins a word.
WORDS = """
the of and to in a is that for it as was with be by on not he his but at are this have from or had an they which one
you were all her she there would their we him been has when who will no more if out so said what up its about than into
them can only other time new some could these two may first then do any like my now over such our man me even most made
after also did many must before back through years where much your way well down should because long each just state
project client question answer freelancer work skill how why explain describe page data code design test user team
"""
CHARACTERS = " etaoinshrdlcumwfgypbvkjxqzETAOINSHRDLCUMWFGYPBVKJXQZ0123456789.,:;!?'\"()[]{}<>-_+=*/\\&%$#@|~^`\n\t"
ENDS = {'"': 4.2, ",": 2.0, "]": 3.0, "}": 2.5, ".": 1.6, "?": 1.6}  # so that replies come to an end
SPACE = "\u2581"  # SentencePiece's mark of a space

CONTROL = ["<unk>", "<s>", "</s>", "<|im_start|>", "<|im_end|>"]
TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)

WIDTH, LAYERS, HEADS, FEED_FORWARD = 128, 3, 4, 256
CONTEXT = 32768


def vocabulary():
    """Returns the pieces with their scores and types, and how likely the model writes each."""
    import gguf

    types = gguf.TokenType
    found = {}

    def add(piece, score, type, bias):
        found.setdefault(piece, (score, type, bias))

    for piece in CONTROL:
        add(piece, 0.0, types.UNKNOWN if piece == "<unk>" else types.CONTROL, 0.0)
    found["<|im_end|>"] = (0.0, types.CONTROL, 3.0)
    for byte in range(256):
        add(f"<0x{byte:02X}>", 0.0, types.BYTE, -4.0)
    # SentencePiece joins neighbors of the highest score first. A word is reached letter by letter.
    for word in WORDS.split():
        for begin in (SPACE + word, word):
            add(begin, float(len(begin)), types.NORMAL, 2.0 if begin[0] == SPACE else -1.0)
            for end in range(2, len(begin)):
                add(begin[:end], float(end), types.NORMAL, -1.0)
    for rank, c in enumerate(CHARACTERS.replace(" ", SPACE)):
        frequent = c.islower() or c == SPACE
        add(c, 0.0, types.NORMAL, 1.0 - rank / 20 if frequent else ENDS.get(c, -0.5))
    pieces = list(found)
    return pieces, *zip(*found.values())


def create(path):
    import gguf
    import numpy as np

    random = np.random.default_rng(20260131)
    pieces, scores, types, biases = vocabulary()

    def normal(rows, columns, scale):
        return (random.standard_normal((rows, columns)) * scale / columns**0.5).astype(np.float32)

    w = gguf.GGUFWriter(path, "llama")
    w.add_name("tiny")
    w.add_context_length(CONTEXT)
    w.add_embedding_length(WIDTH)
    w.add_block_count(LAYERS)
    w.add_feed_forward_length(FEED_FORWARD)
    w.add_head_count(HEADS)
    w.add_head_count_kv(HEADS)
    w.add_layer_norm_rms_eps(1e-5)
    w.add_rope_dimension_count(WIDTH // HEADS)
    w.add_vocab_size(len(pieces))
    w.add_file_type(gguf.LlamaFileType.ALL_F32)
    w.add_tokenizer_model("llama")
    w.add_tokenizer_pre("default")
    w.add_token_list(pieces)
    w.add_token_scores(scores)
    w.add_token_types(types)
    w.add_bos_token_id(pieces.index("<s>"))
    w.add_eos_token_id(pieces.index("<|im_end|>"))
    w.add_unk_token_id(pieces.index("<unk>"))
    w.add_add_space_prefix(False)
    w.add_chat_template(TEMPLATE)

    # The first number of every state is constant, so that the first column of the output holds the biases.
    embeddings = normal(len(pieces), WIDTH, WIDTH**0.5)
    embeddings[:, 0] = 4
    output = normal(len(pieces), WIDTH, 1.2)
    output -= 0.05 * embeddings  # hardly any word twice in a row
    output[:, 0] = np.array(biases, dtype=np.float32) / 3
    w.add_tensor("token_embd.weight", embeddings)
    w.add_tensor("output_norm.weight", np.ones(WIDTH, dtype=np.float32))
    w.add_tensor("output.weight", output)
    for n in range(LAYERS):
        for name, rows, columns, scale in [
            ("attn_q", WIDTH, WIDTH, 2.0),
            ("attn_k", WIDTH, WIDTH, 2.0),
            ("attn_v", WIDTH, WIDTH, 1.0),
            ("attn_output", WIDTH, WIDTH, 2.0),
            ("ffn_gate", FEED_FORWARD, WIDTH, 1.0),
            ("ffn_up", FEED_FORWARD, WIDTH, 1.0),
            ("ffn_down", WIDTH, FEED_FORWARD, 2.0),
        ]:
            weights = normal(rows, columns, scale)
            if name in ("attn_output", "ffn_down"):
                weights[0] = 0
            w.add_tensor(f"blk.{n}.{name}.weight", weights)
        for name in ("attn_norm", "ffn_norm"):
            w.add_tensor(f"blk.{n}.{name}.weight", np.ones(WIDTH, dtype=np.float32))
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()


def serve(o):
    import xllamacpp

    p = xllamacpp.CommonParams()
    p.model.path = o.file
    p.port = o.port
    p.n_ctx = o.context
    p.n_parallel = o.parallel
    p.kv_unified = o.unified
    p.fit_params = False
    p.n_gpu_layers = 0
    p.cpuparams.n_threads = 1
    p.cpuparams_batch.n_threads = 1
    p.warmup = False
    p.ui = False
    p.cache_ram_mib = 0
    if o.embeddings:
        p.embedding = True
        p.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
    server = xllamacpp.Server(p)
    print(f"Ready on {server.listening_address}/v1", flush=True)
    signal.sigwait([signal.SIGTERM, signal.SIGINT])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    c = commands.add_parser("create")
    c.add_argument("file")
    c.set_defaults(run=lambda o: create(o.file))
    s = commands.add_parser("serve")
    s.add_argument("file")
    s.add_argument("--port", type=int, default=0, help="0: any free port")
    s.add_argument("--context", type=int, default=32768, help="tokens of all slots together")
    s.add_argument("--parallel", type=int, default=4, help="slots: requests served at once")
    s.add_argument("--unified", action="store_true", help="one cache for all slots, each with the whole context")
    s.add_argument("--embeddings", action="store_true", help="serve embeddings instead of chat")
    s.set_defaults(run=serve)
    o = parser.parse_args()
    o.run(o)


if __name__ == "__main__":
    sys.exit(main())
