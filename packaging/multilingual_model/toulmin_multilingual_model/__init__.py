"""The weights of Toulmin's multilingual grounding model and embedder, in a wheel of their own.

`toulmin.models.spec` finds this folder; nothing is imported from it.
"""
