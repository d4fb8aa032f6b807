"""Is it any good? Labelled examples through the product's own check.

In: JSON lines of (premise, claim, label). Out: figures, as text, JSON or one HTML page; or a
recalibration fitted to one's own examples.

    examples.py      files -> labelled examples, or what is wrong with which line
    overlap.py       examples -> what counting words gets: the baseline to stand beside
    runner.py        examples -> the check's scores and latencies
    metrics.py       labels, scores -> figures (numpy only)
    groups.py        scores -> figures by kind, language, length of the premise, number of facts
    report.py        scores -> `EvaluationReport`: each file, the mean over files, all items
    gate.py          report, `METRIC=VALUE` -> what falls short
    tables.py        report -> the tables that text and page share
    text.py          report -> text for a terminal
    annotations.py   scores -> what was judged wrongly, as JUnit, SARIF or GitHub's commands
    plots.py         figures -> SVG
    page.py          report -> one self-contained HTML page
    fitting.py       scores -> `grounding.recalibration.Recalibration`, and what it is worth
    calibrating.py   the same, for a server: example by example, then the fit of what was kept
"""
