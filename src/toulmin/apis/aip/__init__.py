"""What every Google API shares, file by file as in https://google.aip.dev.

registry       which handler answers which RPC
routing        HTTP method and path -> RPC (AIP-127)
transcoding    path, query and body -> request message (AIP-127)
json_text      bytes -> JSON values, as leniently as Google's servers
json_parse     JSON values -> messages; json_scalars and json_well_known read the leaves,
               json_faults collects what is wrong
json_dump      messages -> JSON
names          resource names (AIP-122)
paging         page sizes (AIP-158)
field_mask     which fields an update changes (AIP-134)
operations     long-running operations as messages (AIP-151)
status         errors -> google.rpc.Status, HTTP status, JSON body (AIP-193)
"""
