"""Customer Engagement Suite (v1 and v1beta): apps of agents with tools, and talking with them.

names       apps, and what is in them: names and ids
convert     messages of both versions -> resources, and back
checks      what a resource must be to be kept; references: whom it names
resources   agents, tools, toolsets, examples, guardrails, deployments: one way for all;
            lists: their pages, filters and orders; requests: types of what asks for them
app         apps; app_import: an archive of files becomes one; app_export: and the other way round
app_version an app as it was; snapshots: an app with all that is in it
session     RunSession, StreamRunSession; session_inputs: what came in; images: is it one?;
            keeping: a turn into the store;
            talk: BidiRunSession in JSON messages, for WebSockets; widget: tokens for one session
tool_service  a tool by itself: run, and its schema
conversation  what was said in sessions
evaluation  runs of goldens and their results; evaluation_replay: the operation that talks them
            through; evaluation_checks: what can be kept and run; evaluation_export: as JSON;
            evaluation_metrics: over all runs; evaluation_import: from rows (evaluation_rows), and
            from conversations and exports (evaluation_recorded); evaluation_schedule: runs at
            certain times (schedule_times)
register    binds the handlers
"""
