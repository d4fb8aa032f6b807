"""Coverage-guided fuzzing of what reads strangers' bytes.

targets.py      what is called with any bytes, and what must hold then
documents.py    those of document formats
records.py      those of imported records, of protobuf and of updates
agents.py       those of what makers of agents hand in, and of other servers' answers
connections.py  those of the wire: HTTP/1.1, HTTP/2 with gRPC, WebSockets
one.py          one target under atheris (an environment of its own, `make fuzz-coverage`)
run.py          all of them, one after the other, with a summary
again.py        one input again, without instruments
corpus/         bytes to begin with, and those that once broke something; all of them are also
                tried by test_corpus.py with the other tests
"""
