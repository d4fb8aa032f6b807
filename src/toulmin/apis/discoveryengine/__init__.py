"""Discovery Engine: one handler file per Google service, `convert*.py` between the words.

Reference: https://cloud.google.com/generative-ai-app-builder/docs/reference/rpc
"""
