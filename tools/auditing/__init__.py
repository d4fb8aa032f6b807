"""What `make audit` asks of the dependencies.

locked.py      what the lock files hold
advisories.py  known vulnerabilities: from the registry by pip-audit, or from an export of OSV
licences.py    licences from the packages' own metadata, against those that are allowed
"""
