"""A store: append signed submissions, ask for records, prove and verify its log."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

from sqlalchemy import Engine, select

from singleout.core.paths import expanded
from singleout.errors import (
    BadChoice,
    BadSubmission,
    NoRepository,
    NotAllowed,
    SingleoutError,
    StoreChanged,
    UnreadableFile,
)
from singleout.repository.documents.bodies import HolderEntry, KeyRotation, Role
from singleout.repository.documents.keys import HolderKey, key_id, read_public_key
from singleout.repository.documents.submission import Submission
from singleout.repository.log.heads import RememberedHeads, SignedHead
from singleout.repository.store.appending import Appender, Asked, Unread, append_rotation, read_size
from singleout.repository.store.carry import carry
from singleout.repository.store.kept import reading, tables
from singleout.repository.store.kept.database import (
    Target,
    connect,
    target_of,
)
from singleout.repository.store.kept.database import reading as reading_from
from singleout.repository.store.kept.demand import Combination, add_demand
from singleout.repository.store.kept.group_commit import GroupCommit
from singleout.repository.store.kept.migrate import CURRENT, upgrade, version_of
from singleout.repository.store.kept.quick_reading import QuickReading
from singleout.repository.store.kept.seal import check_seal, seal
from singleout.repository.store.kept.stored import (
    Receipt,
    StoredEntry,
)
from singleout.repository.store.opening import (
    Location,
    claim,
    first_entry,
    key_path,
    own_key,
    prepare,
    shown,
)
from singleout.repository.store.reader import StoreReader
from singleout.repository.store.transfer import Exported, begin_copy, export_log, extend

__all__ = ["Store"]


class Store(StoreReader):
    """A repository in an SQLite file or a PostgreSQL database. Use `create` and `open`."""

    def __init__(self, target: Target, engine: Engine, key: HolderKey | None) -> None:
        self.target = target
        self._engine = engine
        self._reading = QuickReading(engine)
        self._key = key
        self._grew = False
        with reading_from(engine) as connection:
            row = connection.execute(select(tables.repository)).mappings().first()
        if row is None:
            raise StoreChanged("The store was changed: it does not say which repository it is.")
        self.name: str = row["name"]
        self.personal: bool = row["personal"]
        self.key_id: str = row["key"]
        try:
            self.public_key: bytes = read_public_key(row["public_key"])
        except BadSubmission:
            raise StoreChanged("The public key of the repository was changed.") from None
        self._public_keys: dict[str, bytes] = {self.key_id: self.public_key}
        self._check_key(key)

    def _check_key(self, key: HolderKey | None) -> None:
        if key is not None and key.id != self.key_id:
            raise BadChoice(
                f"The key {key.id} is not that of the repository {self.name!r}, {self.key_id}."
            )

    # ---- made, opened, closed

    @classmethod
    def create(
        cls,
        target: Location,
        *,
        name: str,
        key_file: Location | None = None,
        personal: bool | None = None,
        owner: HolderKey | None = None,
    ) -> Store:
        """Make a new repository.

        Parameters
        ----------
        target
            The path of an SQLite file that is not there yet, or the URL of a PostgreSQL database.
        name
            What people call it.
        key_file
            Where the repository's own key is, or will be; beside an SQLite file by default.
        personal
            Whether anybody with the file may append, without roles, minima or a ledger; so by
            default for a file, not for a database.
        owner
            Whom to register from the start: in a repository that is not personal, as administrator.
        """
        where = target_of(target)
        personal = isinstance(where, Path) if personal is None else personal
        key = own_key(key_path(where, key_file), make=True)
        assert key is not None
        if isinstance(where, Path):
            claim(where)
        engine = connect(where)
        try:
            prepare(engine, where)
            first_entry(engine, key, name, personal=personal)
            if isinstance(where, Path):
                RememberedHeads().forget(str(where))
            store = cls(where, engine, key)
            store._grew = True
            if owner is not None:
                store.register(owner.public_bytes, name="owner", roles=("administrator",))
        except BaseException:
            engine.dispose()
            raise
        return store

    @classmethod
    def open(cls, target: Location, *, key_file: Location | None = None) -> Store:
        """Open a repository; without its key nothing can be appended."""
        where = target_of(target)
        if isinstance(where, Path) and not where.is_file():
            raise UnreadableFile(
                f"There is no repository at {str(where)!r}; make one with: "
                f"singleout repository init {where}"
            )
        engine = connect(where)
        try:
            with reading_from(engine) as connection:
                version = version_of(connection)
            if version is None:
                raise NoRepository(f"{shown(where)} holds no repository.")
            if version != CURRENT:
                upgrade(engine)
            store = cls(where, engine, None)
            store._key = own_key(key_path(where, key_file), make=False, wanted=store.key_id)
            store._check_key(store._key)
            return store
        except BaseException:
            engine.dispose()
            raise

    def close(self) -> None:
        """Close all connections; whoever wrote to a file seals it."""
        self._reading.close()
        if self._grew:
            seal(self._engine)
        self._engine.dispose()

    def is_sealed(self) -> bool:
        """Return whether `verify` compares every byte of the file, and not only what is in rows."""
        with reading_from(self._engine) as connection:
            return check_seal(connection, read_size(connection))

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def location(self) -> str:
        """Where it is, without a password."""
        return shown(self.target)

    # ---- appending

    @cached_property
    def _group(self) -> GroupCommit[Asked, Receipt]:
        self._grew = True
        return GroupCommit(Appender(self._engine, self._own_key, personal=self.personal).commit)

    def append(
        self,
        submission: Unread,
        *,
        now: datetime | None = None,
        public_key: bytes | None = None,
    ) -> Receipt:
        """Append a submission; when this returns, it is on disk.

        Parameters
        ----------
        submission
            What to append, signed.
        now
            The time; that of the clock by default.
        public_key
            Whose key it is, where anybody may append: in a personal repository.

        Raises
        ------
        BadSubmission
            If it is malformed, forged, expired, was received before, or cannot be done.
        NotAllowed
            If this key may not do it.
        NotPublishable
            If the gate refuses the record.
        """
        if public_key is not None:
            submission = Submission.of(submission)
            self.public_key_of(submission.by, public_key)
        return self._group.do(Asked(submission, now or datetime.now(UTC), self.public_key_of))

    def append_all(
        self, submissions: Sequence[Submission | bytes], *, now: datetime | None = None
    ) -> list[Receipt | SingleoutError]:
        """Append several submissions, each by itself: what is refused does not stop the others.

        Returns
        -------
        list of Receipt or SingleoutError
            For each submission its receipt, once it is on disk, or why it was refused.
        """
        time = now or datetime.now(UTC)
        return self._group.do_all([Asked(one, time, self.public_key_of) for one in submissions])

    def append_checked(self, submission: Submission, now: datetime) -> Receipt:
        """Append a submission whose signature and time were checked."""
        return self._group.do(Asked(submission, now))

    def register(
        self,
        public_key: bytes,
        *,
        name: str,
        roles: Sequence[Role] = ("holder",),
        contact: str = "",
    ) -> Receipt:
        """Register somebody, signed by the repository's own key."""
        text = base64.urlsafe_b64encode(public_key).rstrip(b"=").decode()
        entry = HolderEntry(name=name, public_key=text, roles=tuple(roles), contact=contact)
        return self.append(Submission.sign(entry, self._own_key))

    def rotate_key(self, new: HolderKey, reason: str = "") -> SignedHead:
        """Announce a new key of the repository, signed by the current one; return the new head.

        From then on the new key signs, and the old one may do nothing any more. `rotate` does this
        with the files of the keys.
        """
        old = self._own_key
        body = KeyRotation(public_key=new.public, previous=old.public, reason=reason)
        self._grew = True
        head = append_rotation(self._engine, Submission.sign(body, old), old, new)
        self._key, self.key_id, self.public_key = new, new.id, new.public_bytes
        self._public_keys[new.id] = new.public_bytes
        self.__dict__.pop("_group", None)  # it signs by the old key
        return head

    @property
    def _own_key(self) -> HolderKey:
        if self._key is None:
            raise NotAllowed(
                f"The key of the repository {self.name!r} is not here, so nothing can be appended; "
                "give its file (key_file)."
            )
        return self._key

    def public_key_of(self, holder: str, given: bytes | None = None) -> bytes:
        """Return the public key of a holder; an id never gets another key, so it is kept."""
        known = self._public_keys.get(holder)
        if known is None:
            with reading_from(self._engine) as connection:
                found = reading.holders(connection, holder)
            if found:
                known = read_public_key(found[0].public_key)
            elif self.personal and given is not None and key_id(given) == holder:
                self.register(given, name=holder)
                known = given
            else:
                raise NotAllowed(f"{holder} is not registered here; ask the administrator.")
            self._public_keys[holder] = known
        return known

    def add_demand(self, counts: Mapping[Combination, int]) -> None:
        """Count combinations of attributes that were asked for in vain; no entry of the log."""
        if counts:
            self._grew = True  # the file is sealed anew
            add_demand(self._engine, counts)

    # ---- the whole

    def verify(self, remembered: SignedHead | None = None) -> SignedHead:
        """Check everything, and that the log continues a head seen before; return the head.

        Raises
        ------
        StoreChanged
            If anything was changed, added or removed; it names the entry or the table.
        """
        from singleout.repository.store.derived.verify import verify

        return verify(self._engine, remembered)

    def export(self, path: Location) -> SignedHead:
        """Write all entries with their proofs to a new file of JSON lines."""
        return export_log(self._engine, expanded(path))

    def import_(self, path: Location) -> int:
        """Take in an export; return how many entries were added.

        That of this very repository continues it, as it is. From another, everything that its
        holders signed is submitted here under the rules of this repository: a record that went
        through no gate is not taken into a public one.
        """
        exported = Exported(expanded(path))
        if any(first.leaf_hash == mine.leaf_hash for first, mine in self._first_of(exported)):
            return self.extend(exported.entries(), exported.head)
        return carry(self, exported)

    def _first_of(self, exported: Exported) -> Iterator[tuple[StoredEntry, StoredEntry]]:
        """Yield the first entry of an export, and that of this log: it names the repository."""
        yield from zip(exported.entries(), self.entries(0, 1), strict=False)

    def extend(self, entries: Iterable[StoredEntry], head: SignedHead) -> int:
        """Continue this log by entries of the same repository elsewhere, as they are.

        A mirror follows its repository by this. Entries that are here already are skipped.
        """
        self._grew = True
        added = extend(self._engine, entries, head)
        self.key_id = head.key
        self.public_key = self.public_key_of(head.key)
        return added

    @classmethod
    def copy(
        cls,
        target: Location,
        entries: Iterable[StoredEntry],
        head: SignedHead,
        *,
        key_file: Location | None = None,
    ) -> Store:
        """Make a new store of the entries of a repository elsewhere, and of its signed head.

        With the key of that repository, this is the repository itself, restored. Without, it is a
        mirror: it answers and verifies, and nothing can be appended to it.
        """
        where = target_of(target)
        if isinstance(where, Path):
            claim(where)
        engine = connect(where)
        try:
            prepare(engine, where)
            key = None if key_file is None else HolderKey.load(expanded(key_file))
            begin_copy(engine, head, mirror=key is None)
            extend(engine, entries, head)
            store = cls(where, engine, key)
            store._grew = True
            head.check(store.public_key)
        except BaseException:
            engine.dispose()
            if isinstance(where, Path):
                where.unlink(missing_ok=True)
            raise
        return store

    @classmethod
    def restore(
        cls, target: Location, path: Location, *, key_file: Location | None = None
    ) -> Store:
        """Make a new store from an export, as `copy` does."""
        exported = Exported(expanded(path))
        return cls.copy(target, exported.entries(), exported.head, key_file=key_file)
