"""Which format a file has, told by its content; its name is not asked."""

import re
import zipfile
from io import BytesIO

from common.errors import BadInput

PLAIN, HTML, EPUB, RTF, DOCX, TEI = "plain text", "HTML", "EPUB", "RTF", "DOCX", "TEI"
READ = "plain text, HTML, EPUB, RTF, DOCX or TEI"

_REFUSED = (
    (b"%PDF", "a PDF, which has lines and pages but no paragraphs; export it as DOCX, or copy out its text"),
    (b"\xd0\xcf\x11\xe0", "a Word document of before 2007 (.doc); open it and save it as DOCX"),
    (b"\x1f\x8b", "a gzip archive; unpack it first"),
    (b"7z\xbc\xaf", "a 7-Zip archive; unpack it first"),
    (b"Rar!", "a RAR archive; unpack it first"),
    (b"AT&TFORM", "a DjVu document, which holds pictures of pages; give its text"),
    (b"BZh", "a bzip2 archive; unpack it first"),
    (b"\xfd7zXZ", "an xz archive; unpack it first"),
    (b"%!PS", "a PostScript file, which has lines and pages but no paragraphs; give its text"),
    (b"\x89PNG", "a picture; give the text that is on it"),
    (b"\xff\xd8\xff", "a picture; give the text that is on it"),
    (b"\\documentclass", "a LaTeX file; make HTML or plain text of it"),
    (b'{"', "a JSON file; one in RELiC's format is imported with import_relic"),
)
_HEAD = 64_000
_PDF_WITHIN = 1_024
_MARKUP = re.compile(
    r"\A\s*+<(?:!doctype html|html|head|body|div|p|h[1-6]|meta|title|center)(?:\s[^<>]{0,300})?>",
    re.IGNORECASE,
)
_XML = re.compile(r"\A\s*+<(?:\?xml\s|!doctype |!--|[a-z][\w.-]{0,40}[\s>:])", re.IGNORECASE)
# What may stand before the root, at any length. A declaration keeps its name.
_ASIDE = re.compile(r"<!--(?:(?!-->).)*+(?:-->)?|\[[^\[\]]*+\](?=\s{0,20}>)", re.DOTALL)
# A page that was saved without its head, or with words before its first tag.
_BLOCK = re.compile(r"</(?:p|div|h[1-6])>|<(?:p|br|div|h[1-6])(?:\s[^<>]{0,200})?/?>", re.IGNORECASE)
_LEAST_BLOCKS, _APART = 3, 2_000
_MAIL = re.compile(r"^MIME-Version: ", re.IGNORECASE | re.MULTILINE)
# The first tag that is neither declaration nor comment.
_ROOT = re.compile(r"<(?:[a-z][\w.-]{0,20}:)?(?P<root>[a-z][\w.-]{0,40})(?=[\s>/])", re.IGNORECASE)


def detect(data: bytes, name: str, encoding: str = "") -> str:
    """Return the format of a file, one of those named above; ``encoding`` is what a person says it is in.

    Raises:
        BadInput: it is of a kind that is known and not read; the sentence says what to do.
    """
    if data.startswith(b"PK\x03\x04"):
        return _zipped(data, name)
    if data.startswith(b"{\\rtf"):
        return RTF
    for magic, what in _REFUSED:
        if data.startswith(magic):
            raise BadInput(f"{name} is {what}. Read are {READ}.")
    if data[60:68] == b"BOOKMOBI":
        raise BadInput(f"{name} is a Kindle book; convert it to EPUB. Read are {READ}.")
    if b"%PDF-" in data[:_PDF_WITHIN]:
        raise BadInput(f"{name} is {_REFUSED[0][1]}. Read are {READ}.")
    head = data[:_HEAD].removeprefix(b"\xef\xbb\xbf")
    wide = "utf-16" if head.startswith((b"\xff\xfe", b"\xfe\xff")) else ""
    if encoding.startswith("utf-16"):
        wide = wide or encoding
    return _marked(head.decode(wide or "latin-1", errors="replace"), name)


def _marked(head: str, name: str) -> str:
    head = _ASIDE.sub("", head)
    if _MARKUP.match(head):
        return HTML
    if _MAIL.search(head[:_PDF_WITHIN]):
        raise BadInput(f"{name} is a mail or a web archive (MHTML); save it as HTML. Read are {READ}.")
    if not _XML.match(head):
        blocks = len(_BLOCK.findall(head))
        return HTML if blocks >= max(_LEAST_BLOCKS, len(head) / _APART) else PLAIN
    roots = [found["root"].lower() for found in _ROOT.finditer(head)]
    if "html" in roots[:1] or "<!doctype html" in head.lower():
        return HTML
    if roots and roots[0] in ("tei", "tei.2", "teicorpus"):
        return TEI
    if head.lstrip().startswith(("<?xml", "<svg")):
        what = f"XML with the root <{roots[0]}>" if roots else "XML without a root"
        raise BadInput(f"{name} is {what}; of XML, TEI and XHTML are read. Read are {READ}.")
    return PLAIN


def _zipped(data: bytes, name: str) -> str:
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            names = set(archive.namelist())
    except (zipfile.BadZipFile, ValueError, NotImplementedError):
        raise BadInput(f"{name} is a damaged ZIP archive; save or download it again.") from None
    if "word/document.xml" in names:
        return DOCX
    if "META-INF/container.xml" in names:
        return EPUB
    if "content.xml" in names:
        raise BadInput(f"{name} is an OpenDocument text (.odt); save it as DOCX. Read are {READ}.")
    raise BadInput(f"{name} is a ZIP archive; unpack it and give the text in it. Read are {READ}.")
