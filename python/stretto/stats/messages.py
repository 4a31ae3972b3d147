"""Who waits for whom in point-to-point messages: from when either side of each began."""

import polars as pl

# src/intercept/profile/messages.hpp, ProfiledMessage::Role.
SENT, RECEIVED, AWAITED, ACCESSED = 1, 2, 3, 5

# A message of all ranks: what both its sides say alike.
CHANNEL = ["comm", "source", "dest", "tag"]
_SIDE = [*CHANNEL, "number"]
_CALL = ["world_rank", "call"]


def trusted(channels: pl.DataFrame) -> pl.DataFrame:
    """The channels whose two sides count as many messages, so that both number them alike.

    `channels` has a row a rank and channel: CHANNEL, role and messages. Others have messages that
    were cancelled, or are of communicators that nothing tells apart.
    """
    one = pl.len().over([*CHANNEL, "role"]) == 1
    sides = [
        channels.filter(one & (pl.col("role") == role)).select(*CHANNEL, "messages")
        for role in (SENT, RECEIVED)
    ]
    return sides[0].join(sides[1], on=[*CHANNEL, "messages"]).select(CHANNEL)


def split(messages: pl.DataFrame, channels: pl.DataFrame) -> pl.DataFrame:
    """Of each call that messages were complete in, what it waited for; a row a call.

    `messages` has a row a side of a message: CHANNEL, number, role, world_rank, begin (of the call
    that sends or receives it), enter and leave (of the call that it was complete in), error (of the
    clock), call (-1: none waited for it), site, and messages (how many that call completed). Times
    are ns of one clock.

    A call waits until the last of its messages was begun on the other side: for a late sender as
    far as its receives explain that, then for a late receiver, as nothing says whether a send was
    complete before. The answer has world_rank, site, enter, leave, time, late_sender,
    late_receiver, rest and awaited, the rank that was waited for. Calls of which some message is
    not known at both ends are left out.
    """
    known = messages.join(trusted(channels), on=CHANNEL)
    sides = {
        role: known.filter(pl.col("role") == role).select(
            *_SIDE, began="begin", other="world_rank", other_error="error"
        )
        for role in (SENT, RECEIVED)
    }
    waiting = known.filter(pl.col("call") >= 0)
    of_sends = waiting.filter(pl.col("role") == SENT).join(sides[RECEIVED], on=_SIDE)
    of_receives = waiting.filter(pl.col("role") != SENT).join(sides[SENT], on=_SIDE)
    # What came before it was sent is not that message.
    slack = 1000 + pl.col("error") + pl.col("other_error")
    wrong = of_receives.filter(pl.col("began") > pl.col("leave") + slack).select(CHANNEL).unique()
    both = pl.concat([of_sends, of_receives]).join(wrong, on=CHANNEL, how="anti")
    # A send that ended before its message was received waited for nobody.
    buffered = (pl.col("role") == SENT) & (pl.col("began") > pl.col("leave"))
    until = pl.when(buffered).then(pl.col("enter")).otherwise(pl.col("began"))
    late = (until.clip(pl.col("enter"), pl.col("leave")) - pl.col("enter")).alias("late")
    of_receive = pl.col("late").filter(pl.col("role") != SENT).max().fill_null(0.0)
    calls = (
        both.with_columns(late)
        .group_by(_CALL)
        .agg(
            pl.col("site", "enter", "leave", "messages").first(),
            pl.len().alias("known"),
            pl.col("late").max(),
            of_receive.alias("late_sender"),
            pl.col("other").get(pl.col("late").arg_max()).alias("awaited"),
        )
        .filter(pl.col("known") == pl.col("messages"))
    )
    return calls.select(
        "world_rank",
        "site",
        "enter",
        "leave",
        "awaited",
        "late_sender",
        time=pl.col("leave") - pl.col("enter"),
        late_receiver=pl.col("late") - pl.col("late_sender"),
        rest=pl.col("leave") - pl.col("enter") - pl.col("late"),
    )
