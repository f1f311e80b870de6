"""What stands for a host's service manager: `python -m intent.lab.subnet.tell STATE_DIR HOST hup|restart`."""

from __future__ import annotations

import sys
from pathlib import Path

from intent.core.errors import IntentError
from intent.lab import state
from intent.lab.orders import order


def main() -> int:
    """Ask the running lab; 1 with a word when it refuses."""
    folder, name, action = sys.argv[1:]
    try:
        info = state.load(Path(folder))
        order(info.control_url, info.control_token, "POST", "/manager", {"name": name, "action": action})
    except IntentError as problem:
        sys.stderr.write(f"{problem.message}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
