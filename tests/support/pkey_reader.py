"""Reads P_Key tables from ports with libibmad, as `smpquery pkeys` does, many in one process.

Run as a program under the simulator's shim. An input line is `LID PORT IS_SWITCH BLOCKS`, an output line the keys or
`error`.
"""

from __future__ import annotations

import ctypes
import sys

_SMI_CLASS, _DIRECT_CLASS = 0x01, 0x81
_PKEY_TABLE = 0x16
_TIMEOUT_MS = 2000
_PORTID_BYTES = 256  # ib_portid_t is 112 bytes; the LID comes first, zeros mean: routed by LID


def main() -> None:
    """Answer until the input ends."""
    mad = ctypes.CDLL("libibmad.so.5")
    mad.mad_rpc_open_port.restype = ctypes.c_void_p
    mad.mad_rpc_open_port.argtypes = [ctypes.c_char_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_int]
    mad.smp_query_via.restype = ctypes.c_void_p
    mad.smp_query_via.argtypes = [ctypes.c_void_p, ctypes.c_void_p] + [ctypes.c_uint] * 3 + [ctypes.c_void_p]
    classes = (ctypes.c_int * 2)(_SMI_CLASS, _DIRECT_CLASS)
    port = mad.mad_rpc_open_port(None, 0, classes, 2)
    if not port:
        sys.exit("no port could be opened")
    for line in sys.stdin:
        lid, number, is_switch, blocks = (int(word) for word in line.split())
        sys.stdout.write(_table(mad, port, lid, number if is_switch else 0, blocks) + "\n")
        sys.stdout.flush()


def _table(mad: ctypes.CDLL, port: int, lid: int, number: int, blocks: int) -> str:
    keys: list[str] = []
    for block in range(blocks):
        target = ctypes.create_string_buffer(_PORTID_BYTES)
        ctypes.memmove(target, ctypes.byref(ctypes.c_int(lid)), 4)
        answer = ctypes.create_string_buffer(64)
        if not mad.smp_query_via(answer, target, _PKEY_TABLE, number << 16 | block, _TIMEOUT_MS, port):
            return "error"
        keys += [f"{answer.raw[at]:02x}{answer.raw[at + 1]:02x}" for at in range(0, 64, 2)]
    return " ".join(keys)


if __name__ == "__main__":
    main()
