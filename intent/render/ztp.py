"""The script with which a new switch fetches its first configuration."""

from __future__ import annotations

import re

from intent.core.errors import IntentError
from intent.fabric.model import Device
from intent.render.templates import Templates

TEMPLATE = "ztp.sh.j2"
_WORD = re.compile(r"[!-~]{1,255}")  # it stands in comments of the script: a line end would end the comment
_URL = re.compile(r"https?://[!-~]+")
_SHA256 = re.compile(r"[0-9a-f]{64}")


def ztp_script(
    templates: Templates,
    device: Device,
    *,
    startup_url: str,
    startup_sha256: str,
    replace: bool = False,
    wait_s: int = 300,
) -> str:
    """The zero-touch script of one switch.

    Args:
        templates: where `ztp.sh.j2` is looked for.
        device: the switch.
        startup_url: where its `startup.yaml` is served, http or https.
        startup_sha256: checksum of that file, lower-case hexadecimal.
        replace: put the file in place of all that is configured; otherwise lay it over it, which keeps the users the
            switch was shipped with.
        wait_s: seconds nvued may take to come up.

    Raises:
        IntentError: the device is no switch, an argument is malformed, or the template fails.
    """
    if not device.is_switch:
        raise IntentError(f"{device.name} is a {device.role}: only switches have a zero-touch script")
    for word, value in (("name", device.name), ("release", device.release), ("model", device.model)):
        if not _WORD.fullmatch(value):
            raise IntentError(f"{word} of the switch {value!r} - expected one word of printable characters")
    if not _URL.fullmatch(startup_url):
        raise IntentError(f"URL of the startup file {startup_url!r} - expected http:// or https:// and no spaces")
    if not _SHA256.fullmatch(startup_sha256):
        raise IntentError(f"checksum {startup_sha256!r} - expected 64 lower-case hexadecimal digits (SHA-256)")
    if not 0 < wait_s <= 3600:
        raise IntentError(f"wait for nvued {wait_s} s - expected 1 to 3600")
    values = {
        "device": device.name,
        "role": str(device.role),
        "model": device.model,
        "release": device.release,
        "startup_url": startup_url,
        "startup_sha256": startup_sha256,
        "replace": replace,
        "wait_s": wait_s,
    }
    return templates.render(TEMPLATE, values, device=device.name)
