"""Many turns: agents that run over tools and documents, and what they said.

An app (`definition.AppSpec`), a session (`state.SessionState`) and what came in (`inputs.Inputs`)
go in; the API's `SessionOutput`s come out, and the messages to be kept, as the API's JSON. Without
a language model a planner decides: `docs/conversations.md` says what that means.

led             a turn in which a language model decides; leader: asks it; prompting: what it is
                shown
turn            one turn, which reads as its steps; acts: what is said, called, handed over in it;
                noting: what it stands on and what is noted in it;
                ruled: what transfer rules make of it; asked: what the user is asked before a call
agent_tools     an agent that is a tool of another one: a turn in the turn
asides          what users say in the place of a value or a yes: a stop, a pause, a question;
                repairs: what they put right while they speak
changes         which tools change something; confirming: the question before that, and its answer;
                agreeing: what agrees to something, asks about it, or refuses it
callbacks       what an app's Python says before and after agent, model and tool
guardrails      what must not be said, and what happens then; policies: those that ask a model
transfer_rules  when an agent hands over by rule; conditions: the language of their expressions
definition      an app as it runs; python_source: what a Python function asks for
app_files       the files of an app -> its resources; app_writing: and back
state           where a session stands between two requests
wishes          several of them in one text
inputs          what came in, and whether the session can take it
log             messages and spans of a turn
routing         which tool or agent what was said leads to; instructions: what is said of them
                there; clues: what speaks for one beside meaning
arguments       what a tool is called with, read out of what was said; forms: values with a form of
                their own; numerals: which number belongs to which argument;
                yes_or_no: what is so or not; spoken_numbers: which words are one number;
                day_patterns: how days and times are written; dates: how a tool wants them
tool_runs       tools that run here; documents: data stores; openapi: operations of other servers,
                description_files: as these describe them;
                mcp_tools: tools of MCP servers; mcp_client: asks them; mcp_transport: how what is
                sent comes back; mcp_results: what it means; outgoing: what is sent and may be
saying          what the agent says
checking        whether that is borne out by what the tools returned; premises: whether what the
                user takes for granted is; stages, unlike: statuses, days and amounts that differ
python_tools    Python functions and fakes; python_runner, python_child: each call in a process;
                python_types: what callbacks see there
golden_outcomes a turn against what a golden expects of it; argument_matching, similarity: how
kept_values     what a value must be to be kept and sent; words: names as words, values as texts
schemas         values against the API's `Schema`; json_schemas: others' schemas as that
rooms           what all of it stands on
"""
