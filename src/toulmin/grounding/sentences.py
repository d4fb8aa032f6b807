"""Sentences as the checks know them; they live in `toulmin.text.sentences`."""

from __future__ import annotations

from toulmin.text.sentences import STARTERS, is_cjk, split_sentences

__all__ = ["STARTERS", "is_cjk", "split_sentences"]
