"""sha512-crypt (`$6$…`), since Python 3.13 has no `crypt` module. After Ulrich Drepper's public specification."""

from __future__ import annotations

import hashlib
import hmac
import re

DEFAULT_ROUNDS = 5000

_LETTERS = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_HASH = re.compile(r"\$6\$(?:rounds=(\d{1,9})\$)?([^$]{0,16})\$([./0-9A-Za-z]{86})")
# Order in which the digest's bytes are written, three at a time (specification, step 22).
_ORDER = [((at * 22) % 63, (at * 22 + 21) % 63, (at * 22 + 42) % 63) for at in range(21)]
_MAX_ROUNDS = 200_000


def _repeated(block: bytes, length: int) -> bytes:
    return (block * (length // len(block) + 1))[:length]


def hashed(password: str, salt: str, rounds: int = DEFAULT_ROUNDS) -> str:
    """The crypt hash of a password.

    Args:
        password: any text.
        salt: at most 16 characters, no `$`.
        rounds: 5000 is the default and not written into the hash.
    """
    key, pepper = password.encode(), salt.encode()
    other = hashlib.sha512(key + pepper + key).digest()
    first = hashlib.sha512(key + pepper + _repeated(other, len(key)))
    length = len(key)
    while length:
        first.update(other if length & 1 else key)
        length >>= 1
    digest = first.digest()
    p = _repeated(hashlib.sha512(key * len(key)).digest(), len(key))
    s = _repeated(hashlib.sha512(pepper * (16 + digest[0])).digest(), len(pepper))
    for turn in range(rounds):
        step = p if turn & 1 else digest
        step += s if turn % 3 else b""
        step += p if turn % 7 else b""
        step += digest if turn & 1 else p
        digest = hashlib.sha512(step).digest()
    text = "".join(_letters(digest[a] << 16 | digest[b] << 8 | digest[c], 4) for a, b, c in _ORDER)
    text += _letters(digest[63], 2)
    prefix = "" if rounds == DEFAULT_ROUNDS else f"rounds={rounds}$"
    return f"$6${prefix}{salt}${text}"


def _letters(number: int, count: int) -> str:
    return "".join(_LETTERS[number >> 6 * at & 63] for at in range(count))


def matches(password: str, stored: str) -> bool:
    """True when a password has this hash; False for a locked account and for any other scheme."""
    found = _HASH.fullmatch(stored)
    if not found:
        return False
    rounds = int(found[1]) if found[1] else DEFAULT_ROUNDS
    if not 1000 <= rounds <= _MAX_ROUNDS:
        return False
    text = hashed(password, found[2], rounds).rpartition("$")[2]
    return hmac.compare_digest(text, found[3])
