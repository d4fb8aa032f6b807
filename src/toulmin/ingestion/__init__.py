"""What does this file say, and in which pieces can it be found and cited?

In: the bytes of one file, its name and stated type where they are known. Out: a `ParsedDocument`
(full text, blocks with pages and character ranges, images), and from it `ParsedChunk`s. Offsets
are characters of the document's text. No storage, no network, except for imports.

    imports.py           the operation that imports: sources -> batches -> the record store
                         (items.py, import_batch.py, update_masks.py, document_ids.py)
    purges.py            the operation that deletes by filter or by ids
    sources/             where documents come from: inline, files, buckets, web servers
    ingest.py            a document as given -> text, chunks, vectors, images, fingerprint
    derived.py           title, link and the like; struct_text.py: data -> text
    chunk_vectors.py     chunks -> vectors; chunk_config.py: how a data store wants them cut
    fingerprints.py      what a document was made from and how, as a hash
    sandbox.py           parse in a child process, within time and memory; what servers call
    worker.py, wire.py   the child's loop; documents and errors as bytes between the two
    parse.py             bytes -> document in this process: detect, read, name the file in errors
    detection.py         which format is this? (file_format.py names them)
    charset.py           bytes -> text
    formats/             one file per format, each with `read(source, builder)`
    archive.py, xml.py   ZIP and XML as strangers send them
    png.py, ocr.py       pixels -> PNG; images of text -> text, by tesseract
    document.py          the nouns; builder.py puts them together in reading order
    limits.py            how large a file, and what comes out of it, may be
    chunking.py          document -> chunks within a token budget (token_count.py)

Formats, limits and errors: docs/parsing.md. Why these libraries: docs/decisions/0013-parsing.md.
"""
