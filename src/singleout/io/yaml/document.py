"""Models that people write as YAML files: read, checked in one sentence with a line, described.

`Part` is any values that are checked when they are given; a `Document` is a file of them.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, PrivateAttr, ValidationError

from singleout.io.yaml.errors import mistake_of
from singleout.io.yaml.file import Origin, checked, parse_yaml, plain, read_yaml
from singleout.io.yaml.schema import standard_schema

__all__ = ["Document", "Part"]

_SCHEMA = "https://json-schema.org/draft/2020-12/schema"


class Part(BaseModel):
    """Values that are checked when they are given, and refused in one sentence."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    what: ClassVar[str] = "plan"  # that they are a part of, for messages

    def __init__(self, **values: Any) -> None:
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise Origin(type(self).what).refusal(mistake_of(error, type(self), values)) from None

    # a part within a plan is checked by the plan, which knows the whole path
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]


class Document(Part):
    """What a YAML file holds; it remembers the file, so that later errors name the line too."""

    part_of: ClassVar[str]  # what the file is written for, as "assessment"
    largest: ClassVar[int] = 2_000_000  # bytes of a file

    _origin: Origin = PrivateAttr(default_factory=Origin)

    def model_post_init(self, context: Any, /) -> None:
        """Name what the values are, until a file is known."""
        del context
        self._origin = Origin(type(self).what)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Self:
        """Read a YAML file; an error names the line.

        Parameters
        ----------
        path
            The file. Relative paths in it start at its folder.
        """
        return cls._from(*read_yaml(Path(path), cls.what, largest=cls.largest))

    @classmethod
    def parse(cls, text: str, name: str | None = None) -> Self:
        """Take the content of a file from YAML text.

        Parameters
        ----------
        text
            The text.
        name
            What to call it where something is wrong with it.
        """
        return cls._from(*parse_yaml(text, cls.what, name=name or f"{cls.what}.yaml"))

    @classmethod
    def _given(cls, values: Any) -> Self:
        """Take the content of a file from values that were given in Python."""
        origin = Origin(cls.what)
        return cls._from(cls._plain(values, origin), origin)

    @classmethod
    def _plain(cls, values: Any, origin: Origin) -> Any:
        return plain(values, origin)

    @classmethod
    def _from(cls, values: Any, origin: Origin) -> Self:
        document = checked(cls, values, origin)
        document._origin = origin
        return document

    @classmethod
    def _schema(cls) -> dict[str, Any]:
        """Return the JSON schema, with the first line of the docstring as its description."""
        schema = standard_schema(cls.model_json_schema(mode="validation"))
        about = str(schema["description"]).partition("\n")[0]
        title = f"{cls.__name__} of a singleout {cls.part_of}"
        return {"$schema": _SCHEMA, **schema, "title": title, "description": about}
