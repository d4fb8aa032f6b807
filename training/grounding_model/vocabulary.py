"""Cut the word vectors of multilingual-e5-small to the languages that are served.

    python training/grounding_model/vocabulary.py --base E5 --out E5_CUT --packs RUN/a.jsonl.gz

Of its 250,037 pieces those are kept that the words of eight languages fall into (frequencies of
the package `wordfreq`, large lists, MIT and CC BY-SA), those that the packs given use, and all
single characters of these scripts. `--like` cuts to the pieces of a model that is there already.
A word that loses its piece falls into smaller ones: nothing becomes unknown that was known.
"""

from __future__ import annotations

import argparse
import json
import unicodedata
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from packs import read_packs
from safetensors.numpy import load_file, save_file
from tokenizers import Tokenizer
from wordfreq import get_frequency_dict

LANGUAGES = {"en": 1.0, "es": 1.0, "it": 1.0, "fr": 1.0, "de": 1.0, "ja": 1.0, "pt": 0.3, "nl": 0.3}
CAPITALISED = 0.3
SPECIAL = 4  # <s>, <pad>, </s>, <unk>
SCRIPTS = ("LATIN", "HIRAGANA", "KATAKANA", "CJK", "GREEK", "DIGIT", "FULLWIDTH", "IDEOGRAPHIC")
WORDS = "embeddings.word_embeddings.weight"


def mass_of_pieces(tokenizer: Tokenizer) -> Counter[int]:
    """How often each piece occurs, summed over the languages' word frequencies."""
    mass: Counter[int] = Counter()
    for language, weight in LANGUAGES.items():
        words = get_frequency_dict(language, wordlist="best")
        forms = [(word, weight * share) for word, share in words.items()]
        if language != "ja":
            forms += [(word.capitalize(), CAPITALISED * share) for word, share in forms]
        for start in range(0, len(forms), 4096):
            some = forms[start : start + 4096]
            encoded = tokenizer.encode_batch([word for word, _ in some], add_special_tokens=False)
            for (_, share), encoding in zip(some, encoded, strict=True):
                for piece in encoding.ids:
                    mass[piece] += share
    return mass


def pieces_of_texts(tokenizer: Tokenizer, paths: list[Path]) -> Counter[int]:
    """How often each piece occurs in the packs."""
    count: Counter[int] = Counter()
    for path in paths:
        texts = [
            text
            for pack in read_packs(path)
            for text in (pack.evidence, *(q.text for q in pack.queries))
        ]
        for start in range(0, len(texts), 1024):
            for encoding in tokenizer.encode_batch(
                texts[start : start + 1024], add_special_tokens=False
            ):
                count.update(encoding.ids)
    return count


def characters(vocabulary: list[list]) -> Iterator[int]:
    """Pieces that are one character of the scripts served, a sign or a punctuation mark."""
    for piece, (text, _) in enumerate(vocabulary):
        plain = text.removeprefix("▁")
        if len(plain) <= 1:
            name = unicodedata.name(plain, "") if plain else "DIGIT"
            if name.startswith(SCRIPTS) or unicodedata.category(plain)[0] in "PSN":
                yield piece


def chosen(
    tokenizer: Tokenizer, vocabulary: list[list], packs: list[Path], least: float
) -> list[int]:
    """Numbers of the pieces to keep, in order."""
    mass = mass_of_pieces(tokenizer)
    kept, reached, total = set(range(SPECIAL)), 0.0, sum(mass.values())
    for piece, share in mass.most_common():
        if reached > least * total:
            break
        kept.add(piece)
        reached += share
    kept.update(p for p, n in pieces_of_texts(tokenizer, packs).items() if n > 1)
    kept.update(characters(vocabulary))
    return sorted(piece for piece in kept if piece < len(vocabulary))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--packs", type=Path, action="append", default=[], help="repeat for more")
    parser.add_argument("--share", type=float, default=0.9999, help="of what words fall into")
    parser.add_argument("--like", type=Path, help="tokenizer.json of a model")
    args = parser.parse_args()

    described = json.loads((args.base / "tokenizer.json").read_text(encoding="utf-8"))
    vocabulary = described["model"]["vocab"]
    tokenizer = Tokenizer.from_file(str(args.base / "tokenizer.json"))
    if args.like:
        known = json.loads(args.like.read_text(encoding="utf-8"))["model"]["vocab"]
        numbers = {piece: number for number, (piece, _) in enumerate(vocabulary)}
        order = [numbers[piece] for piece, _ in known]
    else:
        order = chosen(tokenizer, vocabulary, args.packs, args.share)

    args.out.mkdir(parents=True, exist_ok=True)
    described["model"]["vocab"] = [vocabulary[piece] for piece in order]
    text = json.dumps(described, ensure_ascii=False, separators=(",", ":"))
    (args.out / "tokenizer.json").write_text(text, encoding="utf-8")
    config = json.loads((args.base / "config.json").read_text())
    config["vocab_size"] = len(order)
    (args.out / "config.json").write_text(json.dumps(config, indent=1))
    weights = load_file(args.base / "model.safetensors")
    weights[WORDS] = weights[WORDS][order]
    save_file(weights, args.out / "model.safetensors")
    print(len(order), "of", len(vocabulary), "pieces")


if __name__ == "__main__":
    main()
