"""What every API has: operations, how far imports, purges and the like are; and locations.

Reference: https://cloud.google.com/generative-ai-app-builder/docs/reference/rpc/google.longrunning
"""
