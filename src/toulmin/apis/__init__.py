"""Google's words to our words and back: one handler file per Google service.

Protobuf messages come in and go out; offsets on the wire are UTF-8 bytes. `schema` is the contract
as data, `aip` what all Google APIs share, `handlers` the list of what this version answers.
"""
