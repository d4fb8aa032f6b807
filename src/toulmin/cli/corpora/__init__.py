"""What `toulmin import-corpus` does: corpora of Google's semantic retriever, taken over.

items.py     corpora, documents and chunks, from a file or from the API itself
writer.py    what is missing is made, what differs is changed
"""
