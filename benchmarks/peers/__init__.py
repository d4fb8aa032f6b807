"""Toulmin next to what a user would pick instead: same documents, same queries, same run.

python -m benchmarks.peers install   an environment for each peer
python -m benchmarks.peers run       everything, one after the other

material.py     the two collections as files that every environment can read
<name>/peer.py  one peer: how its own guide says to import, keep, open and search
worker.py       one system in a process of its own: imports, or opens and answers
server.py       `toulmin serve` over REST, measured from outside
statistics.py   rankings -> nDCG@10 and recall@5, with intervals
"""
