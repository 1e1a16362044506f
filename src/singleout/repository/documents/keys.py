"""The key of who publishes: one file of 32 secret bytes, for signatures and for the gate's noise.

The file is PEM (PKCS#8, Ed25519), readable by its owner only, and never overwritten. Who has it can
publish in the holder's name, and can remove the noise from what the holder has published.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import os
import secrets
import stat
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any

from singleout.core.paths import check_name, expanded
from singleout.errors import BadChoice, BadSubmission, UnreadableFile, UnwritableOutput
from singleout.repository.extra import extra

__all__ = [
    "HolderKey",
    "SignedStatement",
    "are_signed",
    "default_key_file",
    "is_signed",
    "key_id",
    "read_public_key",
    "read_signature",
]

SignedStatement = tuple[bytes, bytes, bytes]  # the message, the signature and the public key

_LARGEST_FILE = 10_000
_MANY = 16  # signatures that are worth a second thread


def default_key_file() -> Path:
    """Return where a holder's key is: ``$SINGLEOUT_KEY``, or in the user's configuration folder."""
    given = os.environ.get("SINGLEOUT_KEY")
    if given:
        return expanded(given)
    folder = os.environ.get("APPDATA") if os.name == "nt" else os.environ.get("XDG_CONFIG_HOME")
    return (expanded(folder) if folder else expanded("~/.config")) / "singleout" / "holder.key"


@lru_cache(maxsize=1_000)
def key_id(public: bytes) -> str:
    """Return the short name of a public key."""
    return f"ed25519:{hashlib.sha256(public).hexdigest()[:32]}"


def read_public_key(text: str) -> bytes:
    """Return the 32 bytes of a public key in base64url."""
    try:
        raw = _unbase64(text)
    except (binascii.Error, ValueError):
        raw = b""
    if len(raw) != 32:
        raise BadSubmission("A public key must be 32 bytes in base64url: 43 characters.")
    return raw


def read_signature(text: str) -> bytes:
    """Return the bytes of a signature in base64url; those of any other text are no signature."""
    try:
        return _unbase64(text)
    except ValueError:
        return b""


def is_signed(message: bytes, signature: bytes, public: bytes) -> bool:
    """Whether a signature of a message is by the owner of a public key.

    Everything that libsodium accepts, OpenSSL accepts too, in twice the time; where libsodium
    refuses or is not installed, OpenSSL decides.
    """
    if _is_signed_quickly(message, signature, public):
        return True
    try:
        key, invalid = _loaded(public)
    except ValueError:
        return False
    try:
        key.verify(signature, message)
    except (invalid, ValueError):
        return False
    return True


def are_signed(statements: Sequence[SignedStatement]) -> list[bool]:
    """Return for each message, signature and public key whether they belong together.

    Verifying needs no lock of Python, so that two threads share many of them.
    """
    if len(statements) < _MANY:
        return [is_signed(*one) for one in statements]
    half = len(statements) // 2
    with ThreadPoolExecutor(1, "verify") as pool:
        others = pool.submit(lambda: [is_signed(*one) for one in statements[half:]])
        return [is_signed(*one) for one in statements[:half]] + others.result()


def _is_signed_quickly(message: bytes, signature: bytes, public: bytes) -> bool:
    sodium = _sodium()
    if sodium is None or len(signature) != 64 or len(public) != 32:
        return False
    opened, invalid = sodium
    try:
        opened(signature + message, public)
    except invalid:
        return False
    return True


@cache
def _sodium() -> tuple[Any, Any] | None:
    """Return what opens a signed message, and what it raises; None without PyNaCl."""
    try:
        from nacl.bindings import crypto_sign_open
        from nacl.exceptions import CryptoError
    except ImportError:
        return None
    return crypto_sign_open, CryptoError


@lru_cache(maxsize=1_000)
def _loaded(public: bytes) -> tuple[Any, Any]:
    """Return a public key that can verify, and what it raises for a wrong signature."""
    ed25519 = extra("cryptography.hazmat.primitives.asymmetric.ed25519")
    invalid = extra("cryptography.exceptions").InvalidSignature
    return ed25519.Ed25519PublicKey.from_public_bytes(public), invalid


@dataclass(frozen=True)
class HolderKey:
    """A secret of 32 bytes, from which signatures and noise come."""

    seed: bytes = field(repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.seed, bytes) or len(self.seed) != 32:
            raise BadChoice("The seed of a key must be 32 bytes.")

    # ---- made, loaded, saved

    @classmethod
    def make(cls) -> HolderKey:
        """Return a new key."""
        return cls(secrets.token_bytes(32))

    @classmethod
    def load(cls, path: str | Path) -> HolderKey:
        """Read a key from its file, which nobody but its owner may read."""
        file = expanded(path)
        check_name(str(file))
        try:
            with file.open("rb") as stream:
                mode = os.fstat(stream.fileno()).st_mode
                raw = stream.read(_LARGEST_FILE + 1)
        except OSError as error:
            raise UnreadableFile(
                f"The key {str(file)!r} cannot be read: {error.strerror}."
            ) from None
        if os.name == "posix" and stat.S_ISREG(mode) and mode & 0o077:
            raise UnreadableFile(
                f"The key {str(file)!r} can be read by others; run: chmod 600 {file}"
            )
        return cls._from_pem(raw, file)

    @classmethod
    def _from_pem(cls, raw: bytes, file: Path) -> HolderKey:
        serialization = extra("cryptography.hazmat.primitives.serialization")
        ed25519 = extra("cryptography.hazmat.primitives.asymmetric.ed25519")
        unsupported: Any = extra("cryptography.exceptions").UnsupportedAlgorithm
        try:
            key = serialization.load_pem_private_key(raw[:_LARGEST_FILE], password=None)
        except (ValueError, TypeError, unsupported):
            key = None
        if not isinstance(key, ed25519.Ed25519PrivateKey):
            raise UnreadableFile(
                f"{str(file)!r} is not a key; make one with: singleout repository keys"
            )
        return cls(key.private_bytes_raw())

    @classmethod
    def default(cls) -> HolderKey:
        """Return the user's key, made when it is first needed."""
        file = default_key_file()
        if not file.exists():
            key = cls.make()
            try:
                key.save(file)
            except UnwritableOutput:
                if not file.exists():  # otherwise another process made it first
                    raise
            else:
                return key
        return cls.load(file)

    def save(self, path: str | Path) -> Path:
        """Write the key to a new file that only its owner can read; return where it is.

        Raises
        ------
        UnwritableOutput
            If there is a file already, since a key is never overwritten, or it cannot be written.
        """
        file = expanded(path)
        check_name(str(file))
        beside = file.with_name(f".{file.name}.{secrets.token_hex(8)}")
        try:
            file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            _write(beside, self._pem())
            try:
                _name(beside, file)
            finally:
                beside.unlink(missing_ok=True)
        except OSError as error:
            if isinstance(error, FileExistsError) and file.exists():
                reason = "it exists, and a key is never overwritten; name another file"
            else:
                reason = str(error.strerror)
            raise UnwritableOutput(f"The key {str(file)!r} cannot be written: {reason}.") from None
        return file

    def _pem(self) -> bytes:
        serialization = extra("cryptography.hazmat.primitives.serialization")
        return bytes(
            self.signing.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )

    # ---- use

    @cached_property
    def signing(self) -> Any:
        """The Ed25519 key."""
        ed25519 = extra("cryptography.hazmat.primitives.asymmetric.ed25519")
        return ed25519.Ed25519PrivateKey.from_private_bytes(self.seed)

    @cached_property
    def noise(self) -> bytes:
        """32 bytes for the noise of the gate: HKDF-SHA256 of the seed, labelled ``gate``."""
        extracted = hmac.digest(b"\0" * 32, self.seed, "sha256")
        return hmac.digest(extracted, b"gate\x01", "sha256")

    @cached_property
    def public_bytes(self) -> bytes:
        """The public key, 32 bytes."""
        return bytes(self.signing.public_key().public_bytes_raw())

    @property
    def public(self) -> str:
        """The public key in base64url."""
        return _base64(self.public_bytes)

    @cached_property
    def id(self) -> str:
        """The short name of the key: ``ed25519:`` and 32 hexadecimal digits."""
        return key_id(self.public_bytes)

    def sign(self, message: bytes) -> str:
        """Return the signature of a message in base64url."""
        return _base64(self.signing.sign(message))


def _write(path: Path, content: bytes) -> None:
    handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with os.fdopen(handle, "wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())


def _name(written: Path, file: Path) -> None:
    """Give a file that is complete its name, unless that is taken."""
    try:
        os.link(written, file)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        _write(file, written.read_bytes())


def _base64(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode("ascii")


def _unbase64(text: str) -> bytes:
    """Return the bytes of base64url without padding, of which there is one way to write."""
    raw = base64.b64decode(
        text.encode("ascii") + b"=" * (-len(text) % 4), altchars=b"-_", validate=True
    )
    if _base64(raw) != text:  # one way to write it
        raise ValueError(text)
    return raw
