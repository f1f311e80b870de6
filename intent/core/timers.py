"""How the timers of a change depend on each other."""

from __future__ import annotations

# Seconds kept free between the last check and the moment the first device could revert by itself.
SLACK_S = 5.0


def needed_confirm_s(deadline_s: float, checks_s: float) -> float:
    """Shortest confirm timer, in seconds, that outlives apply and checks of a wave.

    Args:
        deadline_s: seconds the apply of one device may take.
        checks_s: seconds the checks of a wave may take.
    """
    return deadline_s + checks_s + SLACK_S
