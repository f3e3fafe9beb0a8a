"""Keys in a backup: left out, or encrypted with a passphrase. Never as they are.

Scrypt makes a key of the passphrase (n 2^15, r 8, p 1, a salt of its own), Fernet encrypts with it.
"""

from __future__ import annotations

import base64
import json
import os
from pathlib import Path

from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt
from django.conf import settings

from common.errors import BadInput

NAMES = ("secret-key", "bundle-key")
"""Keys that an installation makes itself, in its data directory."""
SHORTEST = 12


def encrypted(passphrase: str) -> bytes:
    """Return the keys of this site, encrypted. Raises `BadInput` for a short passphrase, or without a key."""
    if len(passphrase) < SHORTEST:
        raise BadInput(f"The passphrase must have {SHORTEST} characters or more.")
    home = Path(settings.DATA_DIR)
    found = {name: (home / name).read_text(encoding="utf-8") for name in NAMES if (home / name).is_file()}
    if not found:
        raise BadInput(
            f"{home} holds no key: this installation is given its own by its environment. Keep them where "
            "they are kept, and leave --with-keys out."
        )
    salt = os.urandom(16)
    token = _cipher(passphrase, salt).encrypt(json.dumps(found).encode())
    return json.dumps({"salt": base64.b64encode(salt).decode(), "token": token.decode()}).encode()


def decrypted(data: bytes, passphrase: str) -> dict[str, str]:
    """Return the keys by file name. Raises `BadInput` for another passphrase."""
    said = json.loads(data)
    try:
        plain = _cipher(passphrase, base64.b64decode(said["salt"])).decrypt(said["token"].encode())
    except InvalidToken:
        raise BadInput("The keys cannot be decrypted: the passphrase is another one.") from None
    found: dict[str, str] = json.loads(plain)
    return {name: found[name] for name in NAMES if name in found}


def _cipher(passphrase: str, salt: bytes) -> Fernet:
    made = Scrypt(salt=salt, length=32, n=2**15, r=8, p=1).derive(passphrase.encode())
    return Fernet(base64.urlsafe_b64encode(made))
