"""What every Google API shares, file by file as in https://google.aip.dev.

registry       which handler answers which RPC
access, roles  whether a caller may do this, here
routing        HTTP method and path -> RPC (AIP-127)
transcoding    path, query and body -> request message (AIP-127)
json_text      bytes -> JSON values, as leniently as Google's servers
json_parse     JSON values -> messages; json_scalars and json_well_known read the leaves,
               json_faults collects what is wrong
json_dump      messages -> JSON
names          resource names (AIP-122)
paging         page sizes (AIP-158)
list_filter    filters of list methods (AIP-160)
field_mask     which fields an update changes (AIP-134)
response_mask  which fields of a response the caller wants (AIP-157)
operations     long-running operations as messages (AIP-151)
values         how many values a request may hold
deadline       whether the work for a call is still wanted
status         errors -> google.rpc.Status, HTTP status, JSON body (AIP-193)
"""
