"""What was calibrated as tables for a terminal."""

from rich.table import Table

from stretto.model.calibrated import Fitted
from stretto.report.words import seconds, significant


def fitted_tables(fitted: Fitted) -> list[Table]:
    """Of each level what its messages cost."""
    tables = []
    for level, pieces in fitted.pieces.items():
        table = Table(title=f"level '{level}'", title_justify="left")
        for column in ("from bytes", "protocol", "L", "o send", "o recv", "O ns/B", "g", "G ns/B"):
            table.add_column(column, justify="right", no_wrap=True)
        table.add_column("worst fit", justify="right", no_wrap=True)
        for piece in pieces:
            each = piece.message
            table.add_row(
                f"{each.from_bytes:,}",
                "rendezvous" if each.rendezvous else "eager",
                *(
                    seconds(ns * 1e-9)
                    for ns in (each.latency_ns, each.send_overhead_ns, each.recv_overhead_ns)
                ),
                significant(each.overhead_ns_per_byte),
                seconds(each.gap_ns * 1e-9),
                significant(each.gap_ns_per_byte),
                f"{piece.worst:.1%}" if piece.sizes > 1 else "one size",
            )
        tables.append(table)
    return tables
