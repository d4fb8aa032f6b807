"""The search index: which chunks share words with a query, and which lie near a vector?

Derived from the records; it can be thrown away and built anew. Chunks go in under the record
store's numbers, with the number of the outbox entry they come from; numbered, scored chunks come
out.

    protocol.py   what any index does: changes in, hits out; a second implementation, a plain
                  BM25 and numpy one, is the oracle of the tests
    predicate.py  filters as data, and what they mean
    fields.py     the struct data of a document -> typed values to filter by
    embedded.py   the index in this process: one folder, one writer, any number of readers
    generation.py one build of it: commits that are whole or not there
    snapshot.py   what a reader sees: one moment of text, vectors and fields
    segment.py    rows in a file: vectors, fields, words; never changed once written
    columns.py    one field of a segment, and a filter over all its rows at once
    selection.py  documents in the order of their fields
    vectors.py    unit vectors in 8 bits, and their products; parts.py: those of parts of chunks
    text.py       words and n-grams, by tantivy
    analysis.py   text -> terms
    vocabulary.py the words as they are written, and which of them are near one
    spelling.py   misspelt words of a query put right
    manifest.py   which files belong together, written so that a crash cannot tear it

Why it is as it is: docs/decisions/0014-search-index.md.
"""
