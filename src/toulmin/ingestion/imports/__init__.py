"""Operations on many documents: what runs when an import or a purge has been asked for.

In: an operation's row, which says what to do and how far it is. Out: batches, each a transaction of
the record store with the operation's cursor.

    importing.py         the operation that imports: sources -> batches -> the record store
    batch.py             how far an import is, and what goes into its next batch
    update_masks.py      which fields of a stored document an import changes
    purges.py            the operation that deletes by filter or by ids
"""
