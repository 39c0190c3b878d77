"""A terminal of pyte: takes lines of JSON, writes them to its screen, and answers with its scrollback and screen."""
import json
import sys

import pyte

screen = None
stream = None
for line in sys.stdin:
    order = json.loads(line)
    if "columns" in order:
        screen = pyte.HistoryScreen(order["columns"], order["rows"], history=100000, ratio=0.5)
        stream = pyte.Stream(screen)
        continue
    stream.feed(order["write"])
    history = ["".join(row[x].data for x in range(screen.columns)) for row in screen.history.top]
    print(json.dumps({"rows": [row.rstrip() for row in history + list(screen.display)]}), flush=True)
