"""Bytes at rest.

records/     the system of record, in SQL: resources, documents, chunks, operations, outbox
"""
