"""Conversations with agents: do they go as specified, and what survives.

routed      300 written turns over ten small apps: which tool or agent, with which arguments
scripted    110 scripted conversations against a server, each output as its script says
kills       kill -9 in the middle of turns: what was acknowledged is there
crowd       64 sessions at once, and how long a turn takes
apps        the apps of `data/` as resources, over the API and as they run
"""
