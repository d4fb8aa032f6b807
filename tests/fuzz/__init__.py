"""Coverage-guided fuzzing of what reads strangers' bytes.

targets.py      what is called with any bytes, and what must hold then
documents.py    the targets of document formats
one.py          one target under atheris (an environment of its own, `make fuzz-coverage`)
run.py          all of them, one after the other, with a summary
corpus/         bytes to begin with, and those that once broke something; all of them are also
                tried by test_corpus.py with the other tests
"""
