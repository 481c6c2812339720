"""Owns the plot of what was changed: each change's figures in order of time, as shares.

Does not cover the plots that follow a table, nor how a figure becomes a mark (`record_plots`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from docs.macros.chart.plot import Plot, Row, Section
from docs.macros.chart.record_plots import figure, mark
from docs.macros.site import Site

PAIRS = (
    ("All cases, a day of repairs", "rep.5-september.worked rep.6-september.worked"),
    ("Fence stripped", "fence.before-the-fence-was-stripped.worked fence.after.worked"),
    ("Fence stripped, control",
     "fence-ctl.without-the-fence-fix.worked fence-ctl.with-it.worked"),
    ("Subject fixed, then guarded",
     "tot.before.worked tot.subject-fixed.worked tot.subject-fixed-and-guarded.worked"),
    ("Suite ran a test", "rep-write.suite-ran-a-test.before rep-write.suite-ran-a-test.after"),
    ("Subject deleted", "rep-drop.before.runs rep-drop.after.runs"),
    ("Start commands fit to ship", "four-1.would-ship-without-reading-the-diff.got "
                                   "four-2.shippable-of-the-four-start-commands.got"),
    ("False finishes",
     "false.before.false-finishes false.after-requiring-a-quoted-line.false-finishes "
     "false.after-both-fixes.false-finishes"),
    ("Questions answered", "instr.llama3.1-8b.nobody-answering instr.llama3.1-8b.answered"),
    ("Questions answered",
     "instr.qwen2.5-coder-7b.nobody-answering instr.qwen2.5-coder-7b.answered"),
)  # fmt: skip
"""What was changed, and the figures before and after it, in order of time."""

HARNESS = "decided by the harness, so nothing was sampled"
NO_REPEATS = "a single pass, or no number of passes published"
CASES = (
    "several cases, whose runs are no independent draws, and the source prints no counts by case "
    "at every stage to group the runs by"
)


def no_whisker(site: Site, ids: Sequence[str]) -> str:
    """Why a change has no intervals; empty where it may have them."""
    figures = [figure(site, i) for i in ids]
    if any(f.decided_by == "harness" or f.interval is None for f in figures):
        return HARNESS
    if any(not f.repeats or f.repeats == 1 for f in figures):
        return NO_REPEATS
    # As many runs as passes: a single case, so there is nothing to group the runs by.
    if any(site.quote(f.id).n != f.repeats for f in figures):
        return CASES
    return ""


def usual_model(site: Site) -> str:
    """The model of most changes, which a row need not name."""
    models = Counter(figure(site, ids.split()[-1]).model or "" for _, ids in PAIRS)
    return models.most_common(1)[0][0]


def _pair_label(site: Site, label: str, ids: Sequence[str]) -> str:
    last = figure(site, ids[-1])
    if last.machine == "hosted":
        named = f"{label}, hosted model"
    elif [other for other, _ in PAIRS].count(label) > 1 or last.model != usual_model(site):
        named = f"{label}, {last.model}"
    else:
        named = label
    return f"{named} (fewer is the aim)" if last.polarity == "bad" else named


def before_after(site: Site) -> Plot:
    """Every change as a row of marks, with intervals at all of its stages or at none."""
    rows = []
    for label, listed in PAIRS:
        ids = listed.split()
        whisker = not no_whisker(site, ids)
        marks = tuple(mark(site, i, whisker) for i in ids)
        rows.append(Row(_pair_label(site, label, ids), marks))
    title = "Before and after a change, as shares of the runs"
    return Plot("before-after", "pairs", title, (Section("", tuple(rows)),))
