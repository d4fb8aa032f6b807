"""Where sentences begin and end: what `grounding` and `ingestion` both need to know of text.

In: text in any language. Out: ranges of characters. Nothing here knows facts, files or models.
"""
