"""A repository as people use it: a file here or a service elsewhere, with the same questions.

Koot (2012), chapter 7: publish, query, analyze, decide. What is asked is a quasi-identifier and a
population; what a person knows about herself is looked at on a copy here, and is never sent.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from singleout.errors import BadChoice
from singleout.repository.client.heads import (
    check_head,
    check_receipts,
    keep_receipt,
    remember,
    verified,
)
from singleout.repository.client.http import Connection, is_url
from singleout.repository.client.inventories import Inventory
from singleout.repository.client.proofs import check_receipt
from singleout.repository.client.remote import RemoteStore
from singleout.repository.client.source import VocabularySource, fitting_vocabulary
from singleout.repository.documents.bodies import (
    Dispute,
    Resolution,
    Ruling,
    VocabularyEntry,
    Withdrawal,
)
from singleout.repository.documents.keys import HolderKey
from singleout.repository.documents.population import DeclaredPopulation, PopulationLike
from singleout.repository.documents.record import CodedAttribute, Record
from singleout.repository.documents.submission import Submission
from singleout.repository.documents.vocabulary import Vocabulary

if TYPE_CHECKING:
    from singleout.repository.answering.answer import RepositoryAnswer
    from singleout.repository.answering.prediction import RepositoryPrediction
    from singleout.repository.log.heads import SignedHead
    from singleout.repository.store.store import Store
    from singleout.repository.store.stored import Receipt, StateRow, StoredRecord

__all__ = ["Repository"]

KeyLike = HolderKey | str | os.PathLike[str] | None


class Repository:
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
        self._given_key = key
        self._checked = False
        self._words: dict[frozenset[str], Vocabulary | None] = {}
        self.store: Store | RemoteStore
        if is_url(target):
            self.store = RemoteStore(Connection(str(target), token=token, purpose=purpose))
        else:
            if token is not None or purpose is not None:
                raise BadChoice(
                    "A token and a purpose are for services; leave them out for a file."
                )
            from singleout.repository.store.store import Store

            self.store = Store.open(target)

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
    def location(self) -> str:
        """The file or the URL."""
        return self.store.location

    @property
    def name(self) -> str:
        """What people call it."""
        return self.store.name

    @property
    def personal(self) -> bool:
        """Whether it has neither registered holders nor minima nor a ledger."""
        return self.store.personal

    @property
    def is_remote(self) -> bool:
        """Whether questions leave this machine."""
        return isinstance(self.store, RemoteStore)

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

    def _check_once(self) -> None:
        """Check before the first answer that the log continues the one that was seen before."""
        if not self._checked:
            check_head(self.store)
            self._checked = True

    def add_vocabulary(self, vocabulary: Vocabulary | Mapping[str, Any] | str | Path) -> Vocabulary:
        """Add a vocabulary, unless it is there already; return it."""
        words = Vocabulary.of(vocabulary)
        if all(each["hash"] != words.hash for each in self.store.vocabularies()):
            self.submit(VocabularyEntry(vocabulary=words))
        return words

    def dispute(self, record: Record | str, reason: str) -> Receipt:
        """Say that a record is wrong, and why."""
        return self.submit(Dispute(record=_id(record), reason=reason))

    def withdraw(self, record: Record | str, reason: str) -> Receipt:
        """Take a record back; its hash stays."""
        return self.submit(Withdrawal(record=_id(record), reason=reason))

    def resolve(self, key: Record | str, chosen: Record | str | None, reason: str) -> Receipt:
        """End a dispute about a key, or about that of a record, as a moderator: by one or none."""
        asked = key.key if isinstance(key, Record) else key
        picked = None if chosen is None else _id(chosen)
        return self.submit(Resolution(key=asked, chosen=picked, reason=reason))

    def rule(self, record: Record | str, state: str, reason: str) -> Receipt:
        """Let a quarantined record count (``valid``) or set one apart, as a moderator."""
        return self.submit(
            Ruling.model_validate({"record": _id(record), "state": state, "reason": reason})
        )

    # ---- query and analyze

    def query(
        self,
        quasi_identifier: Iterable[Any],
        population: PopulationLike = None,
        *,
        reference_date: date | None = None,
        people: int | None = None,
        cells: int | None = None,
    ) -> RepositoryAnswer:
        """Return what is published about a quasi-identifier in a population.

        Where there is no record of just that, the nearest one answers: of a larger population, or
        of a finer or coarser quasi-identifier. ``path`` says how it was found and what that does
        to predictions.

        Parameters
        ----------
        quasi_identifier
            Attributes with their codings: ``["PC4", "Age:width=5"]``.
        population
            Whom it is about: ``{"City": "Amsterdam"}``; everybody by default.
        reference_date
            The day it is asked for; today by default.
        people
            How many people there will be: what each step does is computed for that many.
        cells
            How many combinations are possible, for records that do not say so.
        """
        from singleout.repository.answering.query import find
        from singleout.repository.answering.relations import coded

        asked, wanted = coded(quasi_identifier), DeclaredPopulation.of(population)
        words = self.vocabulary_for([*(one.attribute for one in asked), *wanted.attributes])
        return find(
            VocabularySource(self.store, words),
            asked,
            wanted,
            vocabulary=words,
            reference_date=reference_date,
            people=people,
            cells=cells,
        )

    def predict(
        self,
        quasi_identifier: Iterable[Any],
        population: PopulationLike = None,
        *,
        people: int,
        **how: Any,
    ) -> RepositoryPrediction:
        """Predict how many of so many people would be unique; ``how`` as in `query`."""
        return self.query(quasi_identifier, population, people=people, **how).predict(people)

    def vocabulary_for(self, names: Iterable[str]) -> Vocabulary | None:
        """Return the latest vocabulary of the repository that knows most of these attributes."""
        wanted = frozenset(names)
        if wanted not in self._words:
            self._check_once()
            self._words[wanted] = fitting_vocabulary(self.store, wanted)
        return self._words[wanted]

    def record(self, wanted: str) -> StoredRecord:
        """Return a record by its identity, with its state."""
        return self.store.record(wanted)

    def history(self, record: Record | str) -> list[StateRow]:
        """Return the states that a record had, the first one first."""
        return self.store.history(_id(record))

    def quasi_identifiers(self) -> list[tuple[tuple[CodedAttribute, ...], int]]:
        """Return the quasi-identifiers that are published, and how many records each has."""
        return self.store.quasi_identifiers()

    @cached_property
    def inventory(self) -> Inventory:
        """The data sets, questionnaires and releases that are registered, and their matches."""
        return Inventory(self)

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


def _key(given: KeyLike) -> HolderKey:
    if isinstance(given, HolderKey):
        return given
    return HolderKey.default() if given is None else HolderKey.load(os.fspath(given))


def _id(record: Record | str) -> str:
    return record.id if isinstance(record, Record) else record
