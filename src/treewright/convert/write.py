"""What a conversion leaves: AUTO, PARG and a report in JSON, all three or none."""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from treewright.convert.ptb_ccg import Converted
from treewright.data.auto import format_derivation
from treewright.data.parg import format_dependencies
from treewright.storage.atomic import write_together

SENTENCES = frozenset({"S", "SINV", "SQ", "SBARQ"})


def write_results(results: Sequence[Converted], auto: Path, parg: Path, report: Path) -> None:
    """Write the sentences that were converted, and a report about all."""
    derivations = [f"{format_derivation(r.derivation)}\n" for r in results if r.derivation]
    rows = [format_dependencies(r.dependencies) for r in results if r.dependencies]
    text = json.dumps(report_of(results), indent=2, ensure_ascii=False)
    write_together([(auto, derivations), (parg, rows), (report, [text, "\n"])])


def report_of(results: Sequence[Converted]) -> dict[str, object]:
    """Counts of sentences and causes; every sentence that was not converted by name."""
    clauses = [r for r in results if r.label in SENTENCES]
    return {
        "sentences": len(results),
        "converted": _converted(results),
        "clauses": {"sentences": len(clauses), "converted": _converted(clauses)},
        "causes": dict(Counter(r.cause for r in results if r.cause).most_common()),
        "notes": dict(Counter(note for r in results for note in r.notes).most_common()),
        "traces": _traces(results),
        "failed": [{"id": r.id, "cause": r.cause, "detail": r.detail} for r in results if r.cause],
    }


def _traces(results: Sequence[Converted]) -> dict[str, dict[str, int]]:
    """By kind of trace: how many there are, and how many have the dependency they stand for."""
    total: Counter[tuple[str, bool]] = Counter()
    for result in results:
        total.update(result.traces)
    kinds = sorted({kind for kind, _ in total})
    return {
        kind: {"traces": total[kind, True] + total[kind, False], "found": total[kind, True]}
        for kind in kinds
    }


def _converted(results: Sequence[Converted]) -> int:
    return sum(r.derivation is not None for r in results)


def summary(results: Sequence[Converted]) -> str:
    """One line about a conversion."""
    done = _converted(results)
    share = 100 * done / len(results) if results else 0.0
    return f"{done:,} of {len(results):,} trees converted ({share:.2f} %)"
