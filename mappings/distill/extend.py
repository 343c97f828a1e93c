#!/usr/bin/env python3
"""Extends a distilled table of word vectors with words of other languages, and trains it on pairs of equal meaning.

distill.py builds a table that knows the English vocabulary of its sentence model. This script adds what the sources
know about other languages, in three steps:

1. Add whole words of the sources that the table can only spell, such as "entwicklung". A new word starts as the sum of
   its pieces.
2. Fit the rows so that Spanish and French names of ESCO skills, and other names of the taxonomy's skills in whatever
   language, point where the English name does. English phrases must keep their directions.
3. Adapt the table with the contrastive loss of distill.py. Pairs are those of distill.py, two names of an ESCO skill in
   the same or in two languages, and two names of a skill of the taxonomy.

The sources are the taxonomy, ESCO and O*NET, never job posts or profiles. A run takes two minutes on an idle core.

    venv/bin/python mappings/distill/extend.py --sources DIR --base distilled.bin

With --hold-out, a tenth of the ESCO skills is kept out of the training, and the script prints how well the table finds
their English names by their Spanish and French ones, before and after.
"""

import argparse
import csv
import pathlib
import random
from collections import Counter, defaultdict

import numpy as np

import distill
from distill import HERE, Occupations, Skills, adapt, counts, fit, sample_up_to, unit, words

NAME = "skills-minilm-2"  # recorded in every index; increase the number for a new table
MIN_LETTERS, MIN_COUNT = 4, 2  # of a new word, and how often the sources have it
LANGUAGES = {"en": "skills_en-us.csv", "es": "skills_es.csv", "fr": "skills_fr.csv"}


class Table:
    """A table of rows for word pieces, with the way to split a text into pieces that distill.Model has."""

    pieces = distill.Model.pieces

    def __init__(self, path):
        head, rest = path.read_bytes().split(b"\n", 1)
        *_, dimensions, count = head.split()
        lines = rest.split(b"\n", int(count))
        self.vocabulary = [line.decode() for line in lines[:-1]]
        self.numbers = {piece: i for i, piece in enumerate(self.vocabulary)}
        rows = np.frombuffer(lines[-1], np.int8).reshape(int(count), int(dimensions)).astype(np.float32)
        self.rows = rows * (0.1 / np.abs(rows).mean())

    def counts(self, texts):
        return counts([self.pieces(text) for text in texts], len(self.vocabulary))

    def vectors(self, texts):
        return unit(self.counts(texts) @ self.rows)

    def add(self, texts):
        """Adds the words of texts that occur often enough and that no single piece spells."""
        found = Counter(word for text in texts for word in words(text))
        rows = []
        for word, count in sorted(found.items(), key=lambda item: (-item[1], item[0])):
            pieces = self.pieces(word)
            if count >= MIN_COUNT and len(word) >= MIN_LETTERS and word.isalpha() and len(pieces) > 1:
                rows.append(self.rows[pieces].sum(0))
                self.vocabulary.append(word)
        self.numbers = {piece: i for i, piece in enumerate(self.vocabulary)}
        self.rows = np.concatenate([self.rows, np.array(rows, np.float32)])
        return len(rows)


def esco_names(sources):
    """Returns the names of each ESCO skill that has an English one, by language; the preferred name is the first."""
    skills = defaultdict(dict)
    for language, file in LANGUAGES.items():
        with open(sources / "esco/multilingual" / file, encoding="utf-8", newline="") as f:
            for row in csv.DictReader(f):
                names = [row["preferredLabel"], *row["altLabels"].split("\n")]
                if row["preferredLabel"].strip():
                    skills[row["conceptUri"]][language] = [name.strip() for name in names if name.strip()]
    return [names for _, names in sorted(skills.items()) if "en" in names]


def foreign(table, name):
    """Reports whether a name seems to be in another language: it has accents, or the table must spell its words."""
    return not name.isascii() or len(table.pieces(name)) > 2 * len(words(name))


def pairs(rng, skills, labels):
    """Returns pairs of names of one ESCO skill, and pairs of names of one skill of the taxonomy."""
    found = []
    while len(found) < 60_000:
        names = rng.choice(skills)
        first, second = (rng.choice(names[rng.choice(list(names))][:4]) for _ in range(2))
        if first != second:
            found.append((first, second))
    return found + [tuple(rng.sample(rng.choice(labels), 2)) for _ in range(40_000)]


def report(table, skills, when):
    """Prints the mean reciprocal rank of the English name of each skill among all, by its name in another language."""
    for language in LANGUAGES:
        known = [names for names in skills if language in names]
        similarity = table.vectors(n[language][0] for n in known) @ table.vectors(n["en"][0] for n in known).T
        rank = (similarity > np.diag(similarity)[:, None]).sum(1) + 1
        print(f"{when}, {language} to en: mean reciprocal rank {(1 / rank).mean():.3f} of {len(known)} skills")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sources", type=pathlib.Path, required=True, help="folder that contains esco and onet")
    parser.add_argument("--base", type=pathlib.Path, required=True, help="the table that distill.py wrote")
    parser.add_argument("--hold-out", action="store_true", help="keep a tenth of the ESCO skills to measure with")
    for option, file in (("--taxonomy", "taxonomy.v1.gz"), ("--out", "vectors.v1.bin")):
        parser.add_argument(option, type=pathlib.Path, default=HERE.parent / file, help="default: %(default)s")
    arguments = parser.parse_args()

    rng, table = random.Random(5), Table(arguments.base)
    skills, occupations = Skills(arguments.taxonomy), Occupations(arguments.sources)
    labels = [
        names
        for names, category in zip(skills.labels, skills.category)
        if len(names) > 1 and category not in skills.rare_categories
    ]
    esco = esco_names(arguments.sources)
    held = esco[::10] if arguments.hold_out else []
    if held:
        esco = [names for i, names in enumerate(esco) if i % 10]
        report(table, held, "before")

    texts = distill.phrases(skills, occupations)
    targets = [table.vectors(texts)]
    for names, target in zip(esco, table.vectors(names["en"][0] for names in esco)):
        others = [n for language in ("es", "fr") for n in sample_up_to(rng, names.get(language, []), 2)]
        texts += others
        targets.append(np.tile(target, (len(others), 1)))
    for names, target in zip(labels, table.vectors(names[0] for names in labels)):
        others = [name for name in names[1:] if foreign(table, name)]
        texts += others
        targets.append(np.tile(target, (len(others), 1)))
    targets = np.concatenate(targets).astype(np.float32)

    names = [n for skill in esco for known in skill.values() for n in known]
    print(f"{table.add([*texts, *names, *(n for known in skills.labels for n in known)])} words added")
    usable = np.array([bool(table.pieces(text)) for text in texts]) & targets.any(1)
    phrase_counts, targets = table.counts(texts)[usable], targets[usable]
    table.rows = fit(table.rows, phrase_counts, targets, steps=60)
    similar = distill.pairs(skills, occupations, 60_000) + pairs(rng, esco, labels)
    first, second = (table.counts(pair[side] for pair in similar) for side in (0, 1))
    table.rows = adapt(table.rows, first, second, phrase_counts, targets, steps=300)
    if held:
        report(table, held, "after")
    distill.write(arguments.out, NAME, table.rows, table.vocabulary)
    print(f"{arguments.out}: {arguments.out.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
