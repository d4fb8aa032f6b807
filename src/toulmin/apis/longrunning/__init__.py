"""google.longrunning.Operations: how far imports, purges and the like are.

Reference: https://cloud.google.com/generative-ai-app-builder/docs/reference/rpc/google.longrunning
"""
