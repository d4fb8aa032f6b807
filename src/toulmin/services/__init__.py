"""The wiring: settings in, ready objects out. The only room that names a concrete back end.

wiring.py     `Services`: one accessor for each thing that handlers stand on
support.py    settings -> the scorer and the checker
readers.py    settings -> which models read questions
embedders.py  settings -> the embedder, and whether stored vectors are its own
reembedding.py  all stored vectors anew, by the other embedder
documents.py  settings -> records, search index, parsers, operations, searcher
answering.py  settings -> what answers questions
conversations.py  what conversations with agents stand on
chat_tokens.py  tokens for one session each, and the secret that they are signed with
checking.py   `check_grounding` as a Python function
"""

from __future__ import annotations

from toulmin.services.checking import as_facts, check_grounding, fact_of
from toulmin.services.readers import reader_versions
from toulmin.services.support import model_versions
from toulmin.services.wiring import Services, build_services

__all__ = [
    "Services",
    "as_facts",
    "build_services",
    "check_grounding",
    "fact_of",
    "model_versions",
    "reader_versions",
]
