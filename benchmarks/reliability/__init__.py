"""Faults, made on purpose, on the real thing: what is promised is counted, trial by trial.

    documents.py   the documents of the trials, by number, and the embedder that costs nothing
    child.py       a process to be killed: opens a data folder and does what is to be done in it
    processes.py   starts children and servers, kills them, calls them
    agreement.py   do records hold what was sent, and does the index hold what the records hold?
    kills.py       kill -9: imports, sweeps, purges, compaction, rebuild, backup, single calls
    disk.py        a disk that is full; small_disk.py: when an index is merged, when answers are kept
    readonly.py    a data folder that may not be written to
    clocks.py      a wall clock that jumps; years.py: by years, and what has a time to hold
    damage.py      a damaged index, a damaged database, an old copy
    logs.py        a write-ahead log that was cut, damaged or taken away
    locks.py       a database that another process holds; two processes on one folder
    files.py       files that change, vanish or may not be read; a parser that is killed
    attacks.py     clients that want no answer (a command of its own); attacked.py measures them,
                   crowds.py has those that come in numbers, long_crowd.py those that stay and
                   do everything, which are in mixed_clients.py
    postgres.py    records in PostgreSQL: Toulmin killed, PostgreSQL killed, failing over, frozen,
                   cut off (between.py is what cuts);
                   postgres_servers.py runs it, postgres_load.py calls meanwhile and counts
    stops.py       SIGTERM during an import, during requests, with a parser that hangs

`python -m benchmarks.reliability` runs all and writes `benchmarks/results/reliability.json`.
"""
