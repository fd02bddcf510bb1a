"""Word files, PDF files, archives of web pages, and bad ones of each kind: one clear line."""

import io
import zipfile
from pathlib import Path

import pytest

from saffa.core.document import Document
from saffa.core.errors import InputError

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
LOCKED = f"/Encrypt << /Filter /Standard /V 1 /R 2 /O <{'61' * 32}> /U <{'62' * 32}> /P -4 >> /ID [<61> <61>]"
STEPS = ("Beat the eggs.", "Add the flour.", "Fry in butter.")


def paragraph(text: str, style: str = "", number: int | None = None, bold: bool = False) -> str:
    styled = f'<w:pStyle w:val="{style}"/>' if style else ""
    listed = f'<w:numPr><w:ilvl w:val="0"/><w:numId w:val="{number}"/></w:numPr>' if number else ""
    weight = "<w:rPr><w:b/></w:rPr>" if bold else ""
    return f"<w:p><w:pPr>{styled}{listed}</w:pPr><w:r>{weight}<w:t>{text}</w:t></w:r></w:p>"


def word_file(*paragraphs: str) -> bytes:
    kinds = "".join(
        f'<w:abstractNum w:abstractNumId="{n}"><w:lvl w:ilvl="0"><w:numFmt w:val="{form}"/></w:lvl></w:abstractNum>'
        f'<w:num w:numId="{n}"><w:abstractNumId w:val="{n}"/></w:num>'
        for n, form in ((1, "decimal"), (2, "bullet"))
    )
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("word/document.xml", f"<w:document {W}><w:body>{''.join(paragraphs)}</w:body></w:document>")
        archive.writestr("word/numbering.xml", f"<w:numbering {W}>{kinds}</w:numbering>")
    return file.getvalue()


def pdf_file(*lines: str, trailer: str = "") -> bytes:
    """A page with one line of text below the other."""
    words = "".join(f"({line}) Tj 0 -16 Td " for line in lines)
    stream = f"BT /F1 12 Tf 72 720 Td {words}ET".encode("latin-1")
    bodies = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
        b"/Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
    ]
    data = b"%PDF-1.4\n"
    places = []
    for number, body in enumerate(bodies, 1):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    tail = f"<< /Size {len(bodies) + 1} /Root 1 0 R {trailer} >>".encode("latin-1")
    return data + b"xref\n0 %d\n0000000000 65535 f \n%strailer\n%s\nstartxref\n%d\n%%%%EOF" % (
        len(bodies) + 1, table, tail, len(data),
    )  # fmt: skip


def test_word_file_with_styles_and_lists() -> None:
    data = word_file(
        paragraph("Pancakes", "Heading1"),
        paragraph("A family recipe."),
        paragraph("Ingredients", "Heading2"),
        paragraph("2 eggs", number=2),
        paragraph("100 g flour", number=2),
        paragraph("Method", "Heading2"),
        *(paragraph(step, number=1) for step in STEPS),
    )
    document = Document.from_bytes(data, ".docx")
    assert document.sentences == STEPS
    assert document.note.startswith("3 steps from 'Method'; left out: 1 paragraph, 2 ingredients")


def test_word_file_with_odd_depths_of_lists() -> None:
    data = word_file(*(paragraph(step, number=1) for step in STEPS))
    for depth in ("x", "²", "9" * 5000):
        file = io.BytesIO()
        with zipfile.ZipFile(io.BytesIO(data)) as good, zipfile.ZipFile(file, "w") as odd:
            for name in good.namelist():
                odd.writestr(
                    name,
                    good.read(name)
                    .decode()
                    .replace('ilvl="0"', f'ilvl="{depth}"')
                    .replace('ilvl w:val="0"', f'ilvl w:val="{depth}"'),
                )
        assert Document.from_bytes(file.getvalue(), ".docx").sentences == STEPS


def test_word_file_with_bold_lines_for_headings() -> None:
    lines = [paragraph("Zutaten", bold=True), paragraph("2 Eier"), paragraph("Zubereitung", bold=True)]
    data = word_file(*lines, *(paragraph(f"{n}. {step}") for n, step in enumerate(STEPS, 1)))
    assert Document.from_bytes(data, ".docx").sentences == STEPS


def test_pdf_file() -> None:
    lines = [
        "Pancakes",
        "Ingredients",
        "2 eggs",
        "100 g flour",
        "Method",
        *(f"{n}. {s}" for n, s in enumerate(STEPS, 1)),
    ]
    assert Document.from_bytes(pdf_file(*lines), ".pdf").sentences == STEPS
    assert Document.from_bytes(pdf_file(*STEPS), ".txt").sentences == STEPS  # known by its first bytes


def test_archive_of_a_page() -> None:
    page = "<html><body><h2>Method</h2><ol>" + "".join(f"<li>{step}</li>" for step in STEPS) + "</ol></body></html>"
    head = 'MIME-Version: 1.0\nContent-Type: multipart/related; boundary="b"\n\n--b\nContent-Type: text/html\n'
    data = f"{head}Content-Transfer-Encoding: quoted-printable\n\n{page.replace('=', '=3D')}\n--b--\n".encode()
    assert Document.from_bytes(data, ".mhtml").sentences == STEPS


@pytest.mark.parametrize("encoding", ["utf-8", "iso-8859-1", "windows-1252", "utf-16"])
def test_encodings_of_pages(encoding: str) -> None:
    words = "<ol><li>Häute die Mandeln.<li>Röste sie.</ol>"
    page = f'<html><head><meta charset="{encoding}"></head><body>{words}</body></html>'
    assert Document.from_bytes(page.encode(encoding), ".html").sentences == ("Häute die Mandeln.", "Röste sie.")


@pytest.mark.parametrize(
    ("data", "suffix", "said"),
    [
        (b"<html><body></body></html>", ".html", "without words"),
        (b"<html><body><nav>Home</nav><script>let a = 1</script></body></html>", ".html", "without words"),
        (b"", ".html", "not a readable web page"),
        (b"PK\x03\x04broken", ".docx", "not a readable Word file"),
        (b"hello", ".docx", "not a readable Word file"),
        (word_file(paragraph("Beat the eggs."))[50:], ".docx", "not a readable Word file"),
        (b"%PDF-1.4\nhello", ".pdf", "damaged"),
        (pdf_file(" "), ".pdf", "pictures of text only"),
        (
            pdf_file("a", trailer="/Encrypt << /Filter /Standard /V 1 /R 2 /O (x) /U (y) /P -4 >>"),
            ".pdf",
            "password|damaged",
        ),
        (b"MIME-Version: 1.0\n\nhello", ".mhtml", "holds no web page"),
        (b"\xd0\xcf\x11\xe0", ".doc", "save it as docx, pdf or txt"),
        (b"{\\rtf1 a}", ".rtf", "save it as docx, pdf or txt"),
        (b"[" * 100_000, ".json", "nested too deeply|not valid JSON"),
    ],
)
def test_bad_files(data: bytes, suffix: str, said: str) -> None:
    with pytest.raises(InputError, match=said) as refused:
        Document.from_bytes(data, suffix, f"recipe{suffix}")
    assert "\n" not in str(refused.value)


def test_word_file_that_unpacks_without_end_is_refused() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", " " * (65 * 2**20))
    with pytest.raises(InputError, match="too large"):
        Document.from_bytes(file.getvalue(), ".docx")


def test_page_without_a_recipe_gives_its_main_list() -> None:
    page = "<html><body><p>Hello there.</p><ol><li>Open the box.</li><li>Take it out.</li></ol></body></html>"
    document = Document.from_bytes(page.encode(), ".html")
    assert document.sentences == ("Open the box.", "Take it out.")
    assert document.note.startswith("2 steps from the numbered list; left out: 1 paragraph")


def test_a_device_or_a_pipe_is_no_text() -> None:
    with pytest.raises(InputError, match="not a regular file"):
        Document.from_file(Path("/dev/zero"))


def test_a_page_without_a_recipe_says_so() -> None:
    page = b"<html><body><h1>About us</h1><p>We bake bread. We open at seven.</p></body></html>"
    document = Document.from_bytes(page, ".html")
    assert document.sentences == ("We bake bread.", "We open at seven.")
    assert document.note == "no recipe and no list of steps on the page: 2 sentences of its text taken"


def test_an_encrypted_pdf_is_not_called_damaged() -> None:
    trailer = f"/Encrypt << /Filter /Standard /V 5 /R 6 /Length 256 /O <{'61' * 48}> /U <{'62' * 48}> /P -4 "
    trailer += f"/OE <{'63' * 32}> /UE <{'64' * 32}> /Perms <{'65' * 16}> "
    trailer += "/CF << /StdCF << /CFM /AESV3 /Length 32 >> >> /StmF /StdCF /StrF /StdCF >> /ID [<61> <61>]"
    with pytest.raises(InputError, match=r"encrypted|locked"):
        Document.from_bytes(pdf_file("Beat the eggs.", trailer=trailer), ".pdf")


def test_steps_of_recipe_data_are_counted_as_steps_and_keep_their_words_together() -> None:
    steps = '["Sear for two minutes <b>per side</b>.", "Rest the meat. Slice it."]'
    page = (
        f'<html><script type="application/ld+json">{{"@type": "Recipe", "recipeInstructions": {steps}}}</script></html>'
    )
    document = Document.from_bytes(page.encode(), ".html")
    assert document.sentences == ("Sear for two minutes per side.", "Rest the meat.", "Slice it.")
    assert document.note.startswith("2 steps (3 sentences) from the page's recipe data")
