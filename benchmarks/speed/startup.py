"""How long the server takes from exec to ready, and how much memory it then holds.

python -m benchmarks.speed.startup
"""

from __future__ import annotations

import argparse
import statistics
import time
from pathlib import Path

from benchmarks.live_server import LiveServer
from benchmarks.measurement import circumstances, write_result

_SETTLE_S = 1.0


def main() -> None:
    """Start and stop the server several times; write results/startup.json."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    result = circumstances()
    ready_s, rss_mib, processor_s = [], [], []
    for _ in range(options.runs):
        with LiveServer() as server:
            ready_s.append(round(server.ready_s, 3))
            time.sleep(_SETTLE_S)
            rss_mib.append(server.rss_mib())
            processor_s.append(server.processor_s())
    result["ready_s"] = {"median": statistics.median(ready_s), "runs": ready_s}
    result["idle_rss_mib"] = {"median": statistics.median(rss_mib), "runs": rss_mib}
    result["processor_s"] = {"median": statistics.median(processor_s), "runs": processor_s}
    path = write_result("startup", result, out=options.out)
    print(
        f"ready after {result['ready_s']['median']} s, idle {result['idle_rss_mib']['median']} MiB"
    )
    print(path)


if __name__ == "__main__":
    main()
