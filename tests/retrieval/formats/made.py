"""Small files of each format, made here."""

import io
import zipfile

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def zipped(files, *, first=()):
    """A ZIP archive of names and contents."""
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in [*first, *files.items()]:
            archive.writestr(name, content)
    return kept.getvalue()


def docx(body, **parts):
    """A Word document with this body; further parts by their name in `word/`."""
    heading = '<w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>'
    text = '<w:style w:type="paragraph" w:styleId="Text"><w:name w:val="Body Text"/></w:style>'
    styles = f"<w:styles {W}>{heading}{text}</w:styles>"
    document = f"<w:document {W}><w:body>{body}</w:body></w:document>"
    files = {"word/document.xml": document, "word/styles.xml": styles}
    return zipped(files | {f"word/{name}.xml": content for name, content in parts.items()})


def _item(name):
    nav = 'properties="nav"' if name == "nav.xhtml" else ""
    return f'<item id="{name}" href="{name}" media-type="application/xhtml+xml" {nav}/>'


def epub(pages, *, more=None, spine=None):
    """An EPUB of XHTML pages by name, read in that order."""
    items = "".join(map(_item, pages))
    order = "".join(f'<itemref idref="{name}"/>' for name in spine or pages)
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf">'
        f"<manifest>{items}</manifest><spine>{order}</spine></package>"
    )
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="book/package.opf"/></rootfiles></container>'
    )
    files = {"META-INF/container.xml": container, "book/package.opf": package}
    files |= {f"book/{name}": f"<html><body>{page}</body></html>" for name, page in pages.items()}
    return zipped(files | (more or {}), first=[("mimetype", "application/epub+zip")])


def tei(text, *, header="<teiHeader><p>Made here.</p></teiHeader>", doctype=""):
    """A TEI document with this text."""
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n{doctype}<TEI xmlns="http://www.tei-c.org/ns/1.0">{header}'
        f"<text>{text}</text></TEI>"
    ).encode()
