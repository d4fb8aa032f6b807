"""How fast is JSON read and written, next to protobuf's own json_format, in one run?

    python benchmarks/speed/wire_codec.py

A check request of 200 facts of 1,000 characters, and a response of 20 claims and 20 chunks.
Processor time, best of 40 interleaved repetitions.
"""

from __future__ import annotations

import json
import time

import orjson
from google.protobuf import json_format

from toulmin.apis.aip.transcoding import Router, dump_json, parse_request
from toulmin.apis.schema import load_schema

REPEATS = 40
PATH = "/v1/projects/p/locations/global/groundingConfigs/d:check"


def main():
    schema = load_schema()
    match = Router(schema).match("POST", PATH)
    request_class = schema.message_class(match.rpc.input_type)
    response_class = schema.message_class(match.rpc.output_type)
    text = ('The quick brown fox jumps over the lazy dog near "Zürich". ' * 20)[:1000]
    facts = [{"factText": text, "attributes": {"author": f"a{i}"}} for i in range(200)]
    body = orjson.dumps({"answerCandidate": "x " * 200, "facts": facts})
    trailing_comma = body.replace(b"}]", b"},]")
    response = response_class(
        support_score=0.93,
        cited_chunks=[{"chunk_text": text[:400], "source": "1"}] * 20,
        claims=[{"start_pos": 1, "end_pos": 80, "claim_text": text[:80], "score": 0.5}] * 20,
    )
    runs = {
        "parse": lambda: parse_request(match, "", body, schema),
        "parse, trailing comma": lambda: parse_request(match, "", trailing_comma, schema),
        "json_format.ParseDict after orjson": lambda: json_format.ParseDict(
            orjson.loads(body), request_class(), descriptor_pool=schema.pool
        ),
        "dump": lambda: dump_json(response, enums_as_ints=True),
        "json_format.MessageToJson": lambda: json_format.MessageToJson(response, indent=None),
    }
    best = dict.fromkeys(runs, float("inf"))
    for _ in range(REPEATS):
        for name, run in runs.items():
            started = time.process_time()
            run()
            best[name] = min(best[name], time.process_time() - started)
    report = {name: round(seconds * 1000, 3) for name, seconds in best.items()}
    ratios = {
        "parse": best["json_format.ParseDict after orjson"] / best["parse"],
        "dump": best["json_format.MessageToJson"] / best["dump"],
    }
    print(
        json.dumps(
            {
                "request_bytes": len(body),
                "cpu_ms": report,
                "times_faster": {name: round(value, 1) for name, value in ratios.items()},
            },
            indent=1,
        )
    )


if __name__ == "__main__":
    main()
