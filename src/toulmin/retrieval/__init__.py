"""Which chunks matter for this query?

So far one file: `fusion.py` joins the rankings of several searches (words, vectors) into one.
Rankings and scores go in, one score a document comes out; no text, no model, no store.
"""
