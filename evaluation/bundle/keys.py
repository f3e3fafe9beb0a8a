"""The installation's key that bundles are signed with: Ed25519 (RFC 8032), over the bytes of the manifest.

The private half lies in the data directory and goes nowhere. The public half is in every bundle, as a PEM
file that `openssl` reads; its fingerprint is the sha256 of its DER form (SubjectPublicKeyInfo, RFC 8410).
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import NamedTuple

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)
from django.conf import settings

from common.errors import BadInput

FILE = "bundle-key"


class PublicKey(NamedTuple):
    """The public half: as a PEM file, and its fingerprint in 64 hexadecimal digits."""

    pem: bytes
    fingerprint: str

    def signed(self, signature: bytes, message: bytes) -> bool:
        """Return whether this key made the signature of the message."""
        try:
            _loaded(self.pem, "key").verify(signature, message)
        except InvalidSignature:
            return False
        return True


def own() -> Ed25519PrivateKey:
    """Return this installation's key, made at its first use, in a file that only its user can read."""
    path = Path(settings.DATA_DIR) / FILE
    text = settings.KEPT_SECRET(path, made)
    try:
        key = load_pem_private_key(text.encode(), password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, Ed25519PrivateKey):
        raise BadInput(
            f"{path} holds no Ed25519 key in PEM. Bring it back from a backup; without one, move the file "
            "away: the next bundle makes a new key, which whoever knew the old one must be told."
        )
    return key


def known() -> PublicKey | None:
    """Return the public half of this installation's key; None as long as nothing has used it."""
    return public(own()) if (Path(settings.DATA_DIR) / FILE).exists() else None


def made() -> str:
    """Return a new private key as PEM."""
    key = Ed25519PrivateKey.generate()
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


def public(key: Ed25519PrivateKey | Ed25519PublicKey) -> PublicKey:
    """Return the public half of a key."""
    half = key.public_key() if isinstance(key, Ed25519PrivateKey) else key
    der = half.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    pem = half.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    return PublicKey(pem, hashlib.sha256(der).hexdigest())


def read(pem: bytes, name: str) -> PublicKey:
    """Return the public key of a PEM file. Raises BadInput, which calls the file by ``name``."""
    return public(_loaded(pem, name))


def _loaded(pem: bytes, name: str) -> Ed25519PublicKey:
    try:
        key = load_pem_public_key(pem)
    except (ValueError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, Ed25519PublicKey):
        raise BadInput(
            f"{name} holds no public Ed25519 key in PEM, as manage.py bundle --public-key prints it."
        )
    return key
