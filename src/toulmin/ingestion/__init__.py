"""What does a document say, in which pieces can it be found and cited, and how do many come in?

In: documents as they are given, files, lists of files. Out: what is stored of them: text, chunks
with vectors, images. Offsets are characters of a document's text.

    imports/             the operations on many: import, purge; what is kept of them as they go
    sources/             where documents come from: inline, files, buckets, web servers
    parsing/             one file -> a parsed document: text, blocks with pages, images

and here what becomes of one document, whether it is written alone or imported:

    ingest.py            a document as given -> text, chunks, vectors, images, fingerprint
    assembly.py          what was read and cut, and its vectors -> what is stored
    token_count.py       how long a text is in tokens
    chunk_vectors.py     chunks -> vectors; part_vectors.py: and vectors of their sentences
    chunk_config.py      how a data store wants its documents cut
    derived.py           title, link and the like
    fingerprints.py      what a document was made from and how, as a hash
    progress.py          how far the files are that are read now
    document_ids.py      which ids a document may have, and what it gets without one
    store_rules.py       what a data store accepts; struct_schema.py: its schema

`imports` may use all of it, the files here `sources` and `parsing`, `sources` may use `parsing`.
Formats, limits and errors: docs/parsing.md. Why these libraries: docs/decisions/0013-parsing.md.
"""
