"""How fast is it, and how much memory does it take? One command each; figures go to ../results/.

startup.py           from exec to ready
latency.py load.py   checks over REST: one caller, several callers
inputs.py            the requests of these, of four exact sizes
baselines.py         the same requests through what one would otherwise run (large_encoders.py)
answer_latency.py    answers over 100,000 chunks
ingest.py index.py   imports; the search index
wire_codec.py        JSON beside protobuf's own
batching.py int8_matmul.py
                     how the encoder should run
tables.py            writes the tables of docs/benchmarks.md
"""
