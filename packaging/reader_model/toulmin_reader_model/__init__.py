"""The weights of Toulmin's grounding model, in a wheel of their own.

`toulmin.models.spec` finds this folder; nothing is imported from it.
"""
