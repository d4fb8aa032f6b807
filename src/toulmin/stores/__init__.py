"""Bytes at rest.

records/        the system of record, in SQL: resources, documents, chunks, sessions, operations
index/          what is searched: words, vectors and fields; derived, can be thrown away
indexer.py      keeps the indexes up with the records; store_index.py: the one of a data store
vector_forms.py   how vectors of chunks are kept in the records
filter_fields.py  what a document is filtered by
"""
