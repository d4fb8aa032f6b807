"""OpenAI's chat completions, answered from a data store, for clients that speak nothing else.

A chat becomes a request for `generateGroundedContent`, and its response a completion:

chat.py        the request: messages, model, options
completion.py  the response: one completion, or its chunks; the sources below the text
"""

from __future__ import annotations
