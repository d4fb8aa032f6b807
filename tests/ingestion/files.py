"""Small files of every format, made by hand."""

import io
import zipfile
import zlib

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489"
    "0000000d49444154789c6360000002000001e221bc330000000049454e44ae426082"
)


def zipped(members: dict[str, bytes | str]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return target.getvalue()


def docx(body: str, **members: bytes | str) -> bytes:
    """A DOCX with a body of WordprocessingML, heading styles Heading1 and Heading2, one image rel."""
    styles = "".join(
        f'<w:style w:styleId="Heading{n}"><w:name w:val="heading {n}"/></w:style>' for n in (1, 2)
    )
    return zipped(
        {
            "word/document.xml": f'<w:document {W} xmlns:r="{R}"><w:body>{body}</w:body></w:document>',
            "word/styles.xml": f"<w:styles {W}>{styles}</w:styles>",
            "word/_rels/document.xml.rels": "<Relationships>"
            f'<Relationship Id="rId1" Type="{R}/image" Target="media/a.png"/></Relationships>',
            "word/media/a.png": PNG,
        }
        | members
    )


def paragraph(text: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def pdf(pages: list[str], *, encrypted: bool = False, info: str = "/Title (A title)") -> bytes:
    """A PDF whose pages have these content streams; F1 is Helvetica, F2 Helvetica bold."""
    kids = " ".join(f"{10 + 2 * i} 0 R" for i in range(len(pages)))
    objects = {
        1: "<< /Type /Catalog /Pages 2 0 R >>",
        2: f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        3: "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        4: "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold >>",
        5: f"<< {info} >>",
        6: "<< /Filter /Standard /V 1 /R 2 /P -4 /O <" + "11" * 32 + "> /U <" + "22" * 32 + "> >>",
    }
    for i, stream in enumerate(pages):
        objects[10 + 2 * i] = (
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] "
            "/Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> "
            f"/Contents {11 + 2 * i} 0 R >>"
        )
        objects[11 + 2 * i] = f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream"
    out = b"%PDF-1.4\n"
    offsets = {}
    for number, body in objects.items():
        offsets[number] = len(out)
        out += f"{number} 0 obj\n{body}\nendobj\n".encode("latin-1")
    start = len(out)
    out += b"xref\n"
    for number, offset in offsets.items():
        out += f"{number} 1\n{offset:010d} 00000 n \n".encode()
    trailer = "/Root 1 0 R /Info 5 0 R /Size 100"
    if encrypted:
        trailer += " /Encrypt 6 0 R /ID [<00> <00>]"
    return out + f"trailer << {trailer} >>\nstartxref\n{start}\n%%EOF\n".encode()


def text_at(x: float, y: float, text: str, size: int = 10, font: str = "F1") -> str:
    return f"BT /{font} {size} Tf {x} {y} Td ({text}) Tj ET\n"


def xlsx(rows: list[list[object]], sheet: str = "Sales") -> bytes:
    def cell(value: object, ref: str) -> str:
        if isinstance(value, str):
            return f'<c r="{ref}" t="inlineStr"><is><t>{value}</t></is></c>'
        return f'<c r="{ref}"><v>{value}</v></c>'

    xml = "".join(
        f'<row r="{i}">'
        + "".join(cell(v, f"{chr(65 + j)}{i}") for j, v in enumerate(row) if v is not None)
        + "</row>"
        for i, row in enumerate(rows, start=1)
    )
    return workbook(xml, sheet)


def workbook(sheet_data: str, sheet: str = "Sales") -> bytes:
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    package = "http://schemas.openxmlformats.org/package/2006"
    return zipped(
        {
            "[Content_Types].xml": f'<Types xmlns="{package}/content-types"/>',
            "_rels/.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="r"'
            f' Type="{R}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
            "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{R}"><sheets>'
            f'<sheet name="{sheet}" sheetId="1" r:id="rId1"/></sheets></workbook>',
            "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}/relationships">'
            f'<Relationship Id="rId1" Type="{R}/worksheet" Target="worksheets/sheet1.xml"/>'
            "</Relationships>",
            "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{main}"><sheetData>{sheet_data}'
            "</sheetData></worksheet>",
        }
    )


def pptx(slides: list[str]) -> bytes:
    p = "http://schemas.openxmlformats.org/presentationml/2006/main"
    a = "http://schemas.openxmlformats.org/drawingml/2006/main"
    members = {
        "ppt/presentation.xml": f'<p:presentation xmlns:p="{p}" xmlns:r="{R}"><p:sldIdLst>'
        + "".join(f'<p:sldId id="{256 + i}" r:id="rId{i}"/>' for i in range(len(slides)))
        + "</p:sldIdLst></p:presentation>",
        "ppt/_rels/presentation.xml.rels": "<Relationships>"
        + "".join(
            f'<Relationship Id="rId{i}" Type="{R}/slide" Target="slides/slide{i}.xml"/>'
            for i in range(len(slides))
        )
        + "</Relationships>",
    }
    for i, shapes in enumerate(slides):
        members[f"ppt/slides/slide{i}.xml"] = (
            f'<p:sld xmlns:p="{p}" xmlns:a="{a}"><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>'
        )
    return zipped(members)


def shape(paragraphs: list[str], placeholder: str | None = None) -> str:
    kind = "" if placeholder is None else f'<p:nvPr><p:ph type="{placeholder}"/></p:nvPr>'
    body = "".join(f"<a:p><a:r><a:t>{text}</a:t></a:r></a:p>" for text in paragraphs)
    return f"<p:sp>{kind}<p:txBody>{body}</p:txBody></p:sp>"


def odt(body: str, manifest: str = "<manifest/>") -> bytes:
    ns = "urn:oasis:names:tc:opendocument:xmlns"
    return zipped(
        {
            "mimetype": "application/vnd.oasis.opendocument.text",
            "META-INF/manifest.xml": manifest,
            "content.xml": f'<office:document xmlns:office="{ns}:office:1.0"'
            f' xmlns:text="{ns}:text:1.0" xmlns:table="{ns}:table:1.0"><office:body><office:text>'
            f"{body}</office:text></office:body></office:document>",
        }
    )


def epub(chapters: list[str], **members: str) -> bytes:
    items = "".join(f'<item id="c{i}" href="c{i}.xhtml"/>' for i in range(len(chapters)))
    refs = "".join(f'<itemref idref="c{i}"/>' for i in range(len(chapters)))
    return zipped(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": '<container><rootfiles><rootfile full-path="OPS/a.opf"/>'
            "</rootfiles></container>",
            "OPS/a.opf": '<package xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata>'
            "<dc:title>A book</dc:title><dc:language>en</dc:language></metadata>"
            f"<manifest>{items}</manifest><spine>{refs}</spine></package>",
        }
        | {f"OPS/c{i}.xhtml": text for i, text in enumerate(chapters)}
        | members
    )


def bomb(size: int) -> bytes:
    """A DOCX whose body unpacks to `size` bytes of spaces."""
    return zipped({"word/document.xml": b" " * size})


def image_pdf() -> bytes:
    """A page with one grey image of 40 by 40 pixels and no text."""
    data = zlib.compress(bytes(1600)).hex()
    stream = (
        f"q 400 0 0 400 100 200 cm\nBI /W 40 /H 40 /BPC 8 /CS /G /F [/AHx /Fl] ID\n{data}>\nEI Q"
    )
    return pdf([stream])
