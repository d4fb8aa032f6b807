"""What `toulmin ingest` does: files of the command line -> documents, here or in a server.

job.py       paths of the command line -> what is to be imported, by which rules
from_sql.py  the rows of a database -> a file of documents, which is imported as files are
here.py      an import into the data folder, done by this process
upload.py    an import into a server's data store, through its public REST API
watch.py     looking at files again and again, and importing what changed
status.py    how far an import is, and how the terminal shows it
"""
