"""A repository as people use it: a file here or a service elsewhere, with the same questions.

Koot (2012), chapter 7: publish, query, analyze, decide. What is asked is a quasi-identifier and a
population; what a person knows about herself is looked at on a copy here, and is never sent.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from singleout.core.paths import expanded
from singleout.errors import BadChoice, NoRepository
from singleout.io.yaml.file import Origin, checked
from singleout.repository.client.asking import Asking
from singleout.repository.client.heads import (
    check_head,
    check_receipts,
    keep_receipt,
    remember,
    verified,
)
from singleout.repository.client.http import Connection, is_url
from singleout.repository.client.inventories import Inventory
from singleout.repository.client.mirror import mirrored
from singleout.repository.client.proofs import check_receipt
from singleout.repository.client.remote import RemoteStore
from singleout.repository.documents.bodies import (
    Dispute,
    Resolution,
    Ruling,
    VocabularyEntry,
    Withdrawal,
)
from singleout.repository.documents.keys import HolderKey
from singleout.repository.documents.record import Record
from singleout.repository.documents.submission import Submission
from singleout.repository.documents.vocabulary import Vocabulary
from singleout.repository.publishing.explain import beside_siblings, impact_statement

if TYPE_CHECKING:
    from singleout.repository.answering.decision import RepositoryDecision
    from singleout.repository.log.heads import SignedHead
    from singleout.repository.store.kept.stored import Receipt
    from singleout.repository.store.rotate import RotatedKey
    from singleout.repository.store.store import Store

__all__ = ["Repository"]

_SQLITE = b"SQLite format 3\0"  # how such a file begins

KeyLike = HolderKey | str | os.PathLike[str] | None


class Repository(Asking):
    """A Kullback-Leibler repository: a local file, or a service at a URL.

    Parameters
    ----------
    target
        The file of a repository, see `init`; the URL of a PostgreSQL database that holds one; or
        the URL of a service, ``https://…``.
    key
        Your key, or its file: it signs what you publish. By default ``$SINGLEOUT_KEY``, or a file
        in your configuration folder that is made when it is first needed.
    token
        An API token of a service, for records that are not public.
    purpose
        With a token: what the records are read for, in a few words. The service keeps it.

    Examples
    --------
    >>> import singleout as so
    >>> repository = so.Repository.seed()
    >>> answer = repository.query(["PC4", "Sex", "Age:width=5"], {"Country": "Netherlands"})
    >>> answer.exact, 0 < answer.predict(people=1000).share < 1
    (True, True)
    """

    def __init__(
        self,
        target: str | os.PathLike[str],
        *,
        key: KeyLike = None,
        token: str | None = None,
        purpose: str | None = None,
    ) -> None:
        self._given_key, self._target = key, target
        if is_url(target):
            store: Store | RemoteStore = RemoteStore(
                Connection(str(target), token=token, purpose=purpose)
            )
        else:
            if token is not None or purpose is not None:
                raise BadChoice(
                    "A token and a purpose are for services; leave them out for a file."
                )
            from singleout.repository.store.store import Store

            _check_is_database(target)
            store = Store.open(target)
        super().__init__(store)

    @classmethod
    def init(
        cls,
        target: str | os.PathLike[str],
        *,
        name: str = "",
        personal: bool = True,
        key: KeyLike = None,
        seed: bool = False,
    ) -> Repository:
        """Make a new repository in a file, and open it.

        Parameters
        ----------
        target
            A file that does not exist yet, or the URL of an empty PostgreSQL database.
        name
            What people call it; the name of the file by default.
        personal
            Whether it is for you alone: without registered holders, minima and a ledger. To serve
            others, say False; your key then is that of its administrator.
        key
            Your key, or its file.
        seed
            Whether to fill it with the records that come with the package.
        """
        from singleout.repository.store.store import Store

        if is_url(target):
            raise BadChoice("A service makes its own repository; give a file.")
        called = name or Path(os.fspath(target)).stem
        owner = None if personal else _key(key)
        Store.create(target, name=called, personal=personal, owner=owner).close()
        made = cls(target, key=key)
        if seed:
            from singleout.repository.client.seed import plant

            plant(made)
        return made

    @classmethod
    def seed(cls, target: str | os.PathLike[str] | None = None) -> Repository:
        """Make a repository of the records that come with the package, from public tables.

        Parameters
        ----------
        target
            A new file; by default one that is removed when Python ends.
        """
        from singleout.repository.client.seed import temporary_file

        return cls.init(temporary_file() if target is None else target, name="seed", seed=True)

    def close(self) -> None:
        """Close the file or the connection."""
        self.store.close()

    def __enter__(self) -> Repository:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Repository({self.location!r})"

    # ---- what it is

    @property
    def name(self) -> str:
        """What people call it."""
        return self.store.name

    @property
    def personal(self) -> bool:
        """Whether it has neither registered holders nor minima nor a ledger."""
        return self.store.personal

    @cached_property
    def key(self) -> HolderKey:
        """The key that signs what you publish."""
        return _key(self._given_key)

    # ---- publish

    def publish(
        self,
        record: Record | Iterable[Record] | Mapping[str, Any],
        *,
        vocabulary: Vocabulary | Mapping[str, Any] | str | Path | None = None,
    ) -> Any:
        """Publish a record, or each of a batch; return its receipt, or theirs.

        The receipt says which state the record got and why, and its proof has been checked: the
        record is in the log whose head the repository signed.

        Parameters
        ----------
        record
            What `publishable` returned; plain values will do.
        vocabulary
            The vocabulary that the record refers to, if the repository does not have it yet.
        """
        if vocabulary is not None:
            self.add_vocabulary(vocabulary)
        if isinstance(record, Record | Mapping | str | bytes):
            return self._publish(Record.of(record))
        return tuple(self._publish(Record.of(each)) for each in record)

    def _publish(self, record: Record) -> Receipt:
        if not record.holder and not self.personal:
            record = record.model_copy(update={"holder": self.key.id})
        return self.submit(record)

    def submit(self, body: Any) -> Receipt:
        """Sign a body (a record, a dispute, a holder and so on), send it, and check the receipt."""
        self._check_once()
        submission = Submission.sign(body, self.key)
        receipt = self.store.append(submission, public_key=self.key.public_bytes)
        check_receipt(receipt, submission, self.store.public_key)
        remember(self.store, receipt.head)
        keep_receipt(self.location, receipt)
        return receipt

    def add_vocabulary(self, vocabulary: Vocabulary | Mapping[str, Any] | str | Path) -> Vocabulary:
        """Add a vocabulary, unless it is there already; return it."""
        words = Vocabulary.of(vocabulary)
        if all(each["hash"] != words.hash for each in self.store.vocabularies()):
            self.submit(VocabularyEntry(vocabulary=words))
        return words

    def keep(self, decision: RepositoryDecision) -> Receipt:
        """Store a decision with the numbers it rests on, and their hash."""
        return self.submit(decision.entry())

    def dispute(self, record: Record | str, reason: str) -> Receipt:
        """Say that a record is wrong, and why."""
        return self.submit(_said(Dispute, record=_id(record), reason=reason))

    def withdraw(self, record: Record | str, reason: str) -> Receipt:
        """Take a record back; its hash stays."""
        return self.submit(_said(Withdrawal, record=_id(record), reason=reason))

    def resolve(self, key: Record | str, chosen: Record | str | None, reason: str) -> Receipt:
        """End a dispute about a key, or about that of a record, as a moderator: by one or none."""
        asked = key.key if isinstance(key, Record) else key
        picked = None if chosen is None else _id(chosen)
        return self.submit(_said(Resolution, key=asked, chosen=picked, reason=reason))

    def rule(self, record: Record | str, state: str, reason: str) -> Receipt:
        """Let a quarantined record count (``valid``) or set one apart, as a moderator."""
        return self.submit(_said(Ruling, record=_id(record), state=state, reason=reason))

    # ---- inventories

    @cached_property
    def inventory(self) -> Inventory:
        """The data sets, questionnaires and releases that are registered, and their matches."""
        return Inventory(self)

    def statement(self, record: Record) -> tuple[str, ...]:
        """Return what a holder can put into an impact assessment about a record.

        What the gate guarantees, and, from a file, how the population compares with its siblings
        there: other cities, other years.
        """
        said = (impact_statement(record),)
        if isinstance(self.store, RemoteStore):
            return said
        others = (stored.record for stored in self.store.records_of_qid(record.qid_key))
        return (*said, beside_siblings(record, (other for other in others if other is not None)))

    # ---- trust

    def head(self) -> SignedHead:
        """Return the signed head of the log, which continues the last one that was seen here."""
        return check_head(self.store)

    def verify(self) -> SignedHead:
        """Check that nothing was changed or removed; return the signed head of the log.

        A file is checked whole: every entry, every derived table, every signature. Of a service,
        what can be seen from here: its signed head, that it continues the one seen before, and
        that everything you published is still in it; `mirror` checks the rest.

        Raises
        ------
        StoreChanged
            If something was; it names the entry.
        """
        if isinstance(self.store, RemoteStore):
            head = check_head(self.store)
            check_receipts(self.store, head)
            return head
        return verified(self.store)

    def mirror(self, target: str | os.PathLike[str]) -> Repository:
        """Copy the repository to a file, or bring a copy up to date; return the copy.

        Every entry is checked against the signed head. A copy answers like the original, with
        nothing sent, and nothing can be published in it.
        """
        return mirrored(self, target)

    def rotate_key(
        self, *, key_file: str | os.PathLike[str] | None = None, reason: str = ""
    ) -> RotatedKey:
        """Replace the repository's own key by a new one, which the old one announces in the log.

        Parameters
        ----------
        key_file
            The file of the key; beside an SQLite file by default.
        reason
            Why, for everybody to read.
        """
        from singleout.repository.store.rotate import rotate
        from singleout.repository.store.store import Store

        if isinstance(self.store, RemoteStore):
            raise BadChoice("The key of a service is rotated where its repository is kept.")
        done = rotate(self._target, key_file=key_file, reason=reason)
        self.store.close()
        self.store = Store.open(self._target, key_file=key_file)
        return done

    def export(self, path: str | os.PathLike[str]) -> SignedHead:
        """Write the whole log with its proofs to a file of JSON lines."""
        if isinstance(self.store, RemoteStore):
            raise BadChoice("Only a file can be exported; make a mirror of the service first.")
        return self.store.export(path)


def _check_is_database(target: str | os.PathLike[str]) -> None:
    """Refuse a file of another kind, which is no repository that was changed."""
    text = os.fspath(target)
    path = expanded(text)
    if "://" in text or not path.is_file():
        return
    with path.open("rb") as file:
        if file.read(len(_SQLITE)) != _SQLITE:
            raise NoRepository(
                f"{text!r} is no repository; make one with: singleout repository init FILE"
            )


def _key(given: KeyLike) -> HolderKey:
    if isinstance(given, HolderKey):
        return given
    return HolderKey.default() if given is None else HolderKey.load(os.fspath(given))


def _said(kind: type[BaseModel], **values: Any) -> BaseModel:
    """Return what is said of a record; what cannot be is a sentence."""
    return checked(kind, values, Origin(kind.__name__.lower()))


def _id(record: Record | str) -> str:
    return record.id if isinstance(record, Record) else record
