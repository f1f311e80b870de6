"""Codes of what can be wrong with the text of an intent. A code is never reused."""

from __future__ import annotations

from enum import StrEnum


class Code(StrEnum):
    """Findings of the loader.

    Attributes:
        meaning: what the finding says, in a few words.
    """

    meaning: str

    def __new__(cls, code: str, meaning: str) -> Code:
        """A code with its meaning."""
        made = str.__new__(cls, code)
        made._value_ = code
        made.meaning = meaning
        return made

    ENCODING = "S001", "the file is not UTF-8"
    TOO_LARGE = "S002", "the file is larger than any intent"
    SYNTAX = "S003", "the text is not YAML"
    TAB = "S004", "a tab outside of quotes and comments"
    TOO_DEEP = "S005", "nested deeper than any intent"
    ALIASES = "S006", "aliases that blow up, or an alias to nothing"
    TAG = "S007", "a YAML tag"
    DUPLICATE = "S008", "a key given twice"
    KEY = "S009", "a key that is no text"
    DOCUMENTS = "S010", "more than one document in a file"
    MERGE = "S011", "`<<` with something that is no mapping"
    EMPTY = "S012", "a file with nothing in it"
    UNKNOWN_KEY = "S020", "a key the language does not have"
    NOT_AVAILABLE = "S021", "part of the language, not of this version"
    MISSING_KEY = "S022", "a key that must be there"
    SHAPE = "S023", "a mapping, list or text where another of them belongs"
    VALUE = "S024", "a text that the field cannot read"
    CONFLICT = "S025", "values that do not fit together"
    CHARACTER = "S026", "a control character in a value"
    INCLUDE_OUTSIDE = "S030", "an include that leaves the workspace"
    INCLUDE_MISSING = "S031", "an include that matches no file"
    INCLUDE_READ = "S032", "an included file that cannot be read"
