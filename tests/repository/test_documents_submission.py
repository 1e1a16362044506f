"""Keys and signed submissions: whole, by their owner, once, in time."""

from __future__ import annotations

import json
import os
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from singleout.errors import (
    BadChoice,
    BadSubmission,
    InputError,
    UnreadableFile,
    UnwritableOutput,
)
from singleout.repository.documents import keys
from singleout.repository.documents.bodies import (
    BODIES,
    Dispute,
    HolderEntry,
    InventoryEntry,
    VocabularyEntry,
    body_of,
)
from singleout.repository.documents.canonical import canonical
from singleout.repository.documents.keys import HolderKey, key_id, read_public_key, read_signature
from singleout.repository.documents.record import Record
from singleout.repository.documents.submission import Submission, read_time, time_text

NOW = datetime(2026, 11, 18, 12, 0, 0, tzinfo=UTC)
KEY = HolderKey(bytes(range(32)))
RECORD = Record.legacy_tuple(["age", "sex"], "City=Urk", 0.4011, cells=95)
DISPUTE = Dispute(record=RECORD.id, reason="Half of the town is missing.")


def signed(body: Any = RECORD, **options: Any) -> Submission:
    return Submission.sign(body, KEY, now=NOW, **options)


# ---- keys


def test_the_key_of_rfc_8032_has_its_public_key_and_signature() -> None:
    # section 7.1, test 1
    key = HolderKey(
        bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
    )
    assert key.public_bytes.hex() == (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
    )
    assert read_signature(key.sign(b"")).hex() == (
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
        "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
    )


def test_noise_and_signatures_come_from_different_secrets() -> None:
    assert len(KEY.noise) == 32
    assert KEY.noise != KEY.seed
    assert HolderKey(bytes(32)).noise != KEY.noise
    assert KEY.seed.hex() not in repr(KEY)
    assert KEY.id == key_id(read_public_key(KEY.public))


def test_the_noise_is_hkdf_of_the_seed() -> None:
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    assert HKDF(SHA256(), 32, salt=None, info=b"gate").derive(KEY.seed) == KEY.noise


def test_a_key_file_is_for_its_owner_and_never_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "new" / "holder.key"
    assert KEY.save(file) == file
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert HolderKey.load(file) == KEY
    before = file.read_bytes()
    with pytest.raises(UnwritableOutput, match="never overwritten"):
        HolderKey.make().save(file)
    assert file.read_bytes() == before
    assert [one.name for one in file.parent.iterdir()] == ["holder.key"]


def test_a_file_system_without_links_keeps_a_key_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> None:
        raise PermissionError(1, "no links here")

    monkeypatch.setattr(os, "link", refuse)
    file = KEY.save(tmp_path / "k")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    with pytest.raises(UnwritableOutput, match="never overwritten"):
        KEY.save(file)


def test_a_key_that_others_can_read_is_refused(tmp_path: Path) -> None:
    file = KEY.save(tmp_path / "k")
    file.chmod(0o640)
    with pytest.raises(UnreadableFile, match="chmod 600"):
        HolderKey.load(file)


@pytest.mark.parametrize("content", [b"", b"no key", b"\xff" * 20_000])
def test_a_file_that_is_no_key_gets_a_sentence(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "k"
    file.write_bytes(content)
    file.chmod(0o600)
    with pytest.raises(UnreadableFile, match="is not a key"):
        HolderKey.load(file)


def test_a_key_of_another_kind_is_refused(tmp_path: Path) -> None:
    from cryptography.hazmat.primitives import serialization as form
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

    pem = X25519PrivateKey.generate().private_bytes(
        form.Encoding.PEM, form.PrivateFormat.PKCS8, form.NoEncryption()
    )
    file = tmp_path / "k"
    file.write_bytes(pem)
    file.chmod(0o600)
    with pytest.raises(UnreadableFile, match="is not a key"):
        HolderKey.load(file)


def test_the_users_key_is_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SINGLEOUT_KEY", str(tmp_path / "mine.key"))
    assert HolderKey.default() == HolderKey.default() == HolderKey.load(tmp_path / "mine.key")
    monkeypatch.delenv("SINGLEOUT_KEY")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    HolderKey.default()
    assert (tmp_path / "config" / "singleout" / "holder.key").exists()


def test_a_missing_file_and_a_short_seed_get_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="cannot be read"):
        HolderKey.load(tmp_path / "none")
    with pytest.raises(UnwritableOutput, match="cannot be written"):
        KEY.save(Path("/dev/null/k"))
    with pytest.raises(BadChoice, match="32 bytes"):
        HolderKey(b"short")


@pytest.mark.parametrize("text", ["", "A" * 42, "A" * 43 + "=", "é" * 43, "A" * 42 + "B", "+" * 43])
def test_a_public_key_has_one_way_to_be_written(text: str) -> None:
    with pytest.raises(BadSubmission, match="43 characters"):
        read_public_key(text)


# ---- submissions


def test_a_submission_survives_the_wire() -> None:
    sent = signed()
    received = Submission.of(canonical(sent))
    received.check(KEY.public_bytes, NOW)
    assert received == sent
    assert received.hash == sent.hash
    assert received.document == RECORD
    assert received.document.id == RECORD.id


def test_no_two_submissions_have_the_same_nonce() -> None:
    assert signed().nonce != signed().nonce


def test_null_is_left_out_of_a_body() -> None:
    values = json.loads(canonical(signed()))
    values["body"]["numbers"]["s2"] = None
    with pytest.raises(BadSubmission, match="leave out what is not known"):
        Submission.of(values)


CHANGES = {
    "by": HolderKey(bytes(32)).id,
    "nonce": "0" * 32,
    "issued": "2026-11-18T11:59:59Z",
    "expires": "2026-11-18T12:59:59Z",
    "signature": "A" * 86,
}


@pytest.mark.parametrize("field", [*CHANGES, "body"])
def test_a_submission_that_was_changed_is_refused(field: str) -> None:
    values = json.loads(canonical(signed()))
    if field == "body":
        values["body"]["numbers"]["kappa"] = 0.1
    else:
        values[field] = CHANGES[field]
    with pytest.raises(BadSubmission, match="signature is not"):
        Submission.of(values).check(KEY.public_bytes, NOW)


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10_000), st.integers(1, 255))
def test_a_changed_byte_is_refused(index: int, change: int) -> None:
    raw = bytearray(canonical(signed()))
    raw[index % len(raw)] ^= change
    with pytest.raises(BadSubmission):
        Submission.of(bytes(raw)).check(KEY.public_bytes, NOW)


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10_000))
def test_a_truncated_submission_is_refused(length: int) -> None:
    raw = canonical(signed())
    with pytest.raises(BadSubmission, match="not JSON"):
        Submission.of(raw[: length % len(raw)])


def test_the_key_of_somebody_else_is_refused() -> None:
    with pytest.raises(BadSubmission, match="signature is not"):
        signed().check(HolderKey(bytes(32)).public_bytes, NOW)
    for public in (b"", bytes(32), bytes(31)):
        with pytest.raises(BadSubmission, match="signature is not"):
            signed().check(public, NOW)


def test_a_submission_is_taken_in_time_only() -> None:
    sent = signed()
    sent.check(KEY.public_bytes, NOW + timedelta(minutes=5))
    with pytest.raises(BadSubmission, match="expired at 2026-11-18T12:05:00Z"):
        sent.check(KEY.public_bytes, NOW + timedelta(minutes=5, seconds=1))
    sent.check(KEY.public_bytes, NOW - timedelta(minutes=1))
    with pytest.raises(BadSubmission, match="in the future"):
        sent.check(KEY.public_bytes, NOW - timedelta(minutes=1, seconds=1))
    with pytest.raises(BadSubmission, match="an hour later"):
        signed(lifetime=timedelta(hours=2)).check(KEY.public_bytes, NOW)
    with pytest.raises(BadSubmission, match="an hour later"):
        signed(lifetime=timedelta(minutes=-1)).check(KEY.public_bytes, NOW)


def test_times_have_a_zone_and_exist() -> None:
    with pytest.raises(BadChoice, match="time zone"):
        time_text(datetime(2026, 1, 1))
    with pytest.raises(BadSubmission, match="is no time"):
        read_time("2026-02-30T00:00:00Z")
    values = {**json.loads(canonical(signed())), "issued": "2026-11-18T12:00:00+00:00"}
    with pytest.raises(BadSubmission, match="issued"):
        Submission.of(values)


@pytest.mark.parametrize(
    "text",
    [
        "null", "[]", "{}", "5", '"x"', '{"body": 1}', "[" * 100_000, '{"body": {"a": NaN}}',
        '{"kind": "submission/2"}', b"\x00", '{"body": {}, "body": {}}',
    ],
)  # fmt: skip
def test_what_is_no_submission_gets_a_sentence(text: str | bytes) -> None:
    with pytest.raises(BadSubmission) as error:
        Submission.of(text)
    assert len(str(error.value)) < 400


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"kind": None},
        {"kind": "record/2"},
        {"kind": ["record/1"]},
        {"kind": "record/1"},
        {"kind": "dispute/1", "record": "x", "reason": "y"},
        {"kind": "dispute/1", "record": RECORD.id, "reason": ""},
        {"kind": "dispute/1", "record": RECORD.id, "reason": "a\x1b[2J"},
        {"kind": "dispute/1", "record": RECORD.id, "reason": "a", "more": 1},
        {"kind": "dispute/1", "record": f"{RECORD.id}\n", "reason": "a"},
        {"kind": "holder/1", "name": "a", "public_key": "b"},
        {"kind": "holder/1", "name": "a", "public_key": KEY.public, "roles": ["king"]},
    ],
)  # fmt: skip
def test_a_body_that_is_none_is_not_signed(body: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        signed(body)


def test_bodies_round_trip_by_their_kind() -> None:
    vocabulary = {"name": "v", "version": "1", "attributes": {"sex": {"values": ["F", "M"]}}}
    holder = HolderEntry(name="Office", public_key=KEY.public, roles=("moderator", "holder"))
    assert holder.roles == ("holder", "moderator")
    assert holder.id == KEY.id
    for body in (
        RECORD,
        DISPUTE,
        holder,
        VocabularyEntry.model_validate({"vocabulary": vocabulary}),
        InventoryEntry.model_validate(
            {"what": "dataset", "name": "x", "attributes": [{"attribute": "sex"}]}
        ),
    ):
        received = Submission.of(canonical(signed(body)))
        assert received.document == body
        assert body_of(received.body) == body
    assert all(kind.endswith("/1") for kind in BODIES)


@pytest.mark.parametrize("change", ["nothing", "message", "signature", "key", "length", "order"])
def test_both_libraries_agree_on_every_signature(
    change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = HolderKey(bytes(range(32)))
    message, public = b"what was signed", key.public_bytes
    signature = key.signing.sign(message)
    if change == "message":
        message += b"."
    elif change == "signature":
        signature = signature[:40] + bytes([signature[40] ^ 1]) + signature[41:]
    elif change == "key":
        public = HolderKey(bytes(32)).public_bytes
    elif change == "length":
        signature = signature[:-1]
    elif change == "order":  # a key of order one, which OpenSSL takes and libsodium does not
        public = signature = bytes([1]) + bytes(31)
        signature += bytes(32)
    quick = keys.is_signed(message, signature, public)
    monkeypatch.setattr(keys, "_sodium", lambda: None)
    assert quick == keys.is_signed(message, signature, public)
    assert quick == (change in ("nothing", "order"))
