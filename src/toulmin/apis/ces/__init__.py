"""Customer Engagement Suite (v1 and v1beta): apps of agents with tools, and talking with them.

names       apps, and what is in them: names and ids
convert     messages of both versions -> resources, and back
checks      what a resource must be to be kept, and what it refers to
resources   agents, tools, toolsets and examples: one way for all
app         apps; app_import: an archive of files becomes one
session     RunSession, StreamRunSession; session_inputs: what came in
tool_service  a tool by itself: run, and its schema
conversation  what was said in sessions
register    binds the handlers
"""
