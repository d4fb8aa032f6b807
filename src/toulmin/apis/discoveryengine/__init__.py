"""Discovery Engine: one handler file per Google service, `convert.py` between its words and ours.

Reference: https://cloud.google.com/generative-ai-app-builder/docs/reference/rpc
"""
