"""The documents that clients search, and how they are put there: by Google's client, as it comes.

Used inside the virtual environments of the clients; `module` is one of google.cloud's
discoveryengine modules, of whatever age.
"""

from __future__ import annotations

from typing import Any

COLLECTION = "projects/demo/locations/global/collections/default_collection"
TIMEOUT_S = 60

PDF_PAGES = (
    "Albatross House was built in 1911 for a shipping company.",
    "The lift of Albatross House was added in 1934 by a Swedish firm.",
)
TOWERS = """# Towers of the harbour

The lighthouse stands on the north mole. It was built in 1872 from granite and is forty metres high.

## Opening hours

Visitors may climb the lighthouse from April to October. The last ascent is at five in the evening.
"""


def pdf(pages: tuple[str, ...]) -> bytes:
    """Return a PDF with one line on each page."""
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, line in enumerate(pages):
        stream = f"BT /F1 10 Tf 50 700 Td ({line}) Tj ET"
        objects += [
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources"
            f" << /Font << /F1 3 0 R >> >> /Contents {5 + 2 * number} 0 R >>",
            f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream",
        ]
    out, offsets = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode()
    table = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    size = len(objects) + 1
    return (
        out
        + (
            f"xref\n0 {size}\n0000000000 65535 f \n{table}"
            f"trailer << /Root 1 0 R /Size {size} >>\nstartxref\n{len(out)}\n%%EOF\n"
        ).encode()
    )


def texts() -> list[dict[str, Any]]:
    """Return documents with content, as requests have them."""
    return [
        {
            "id": "house",
            "struct_data": {"kind": "house", "link": "https://example.org/house.pdf#page="},
            "content": {"mime_type": "application/pdf", "raw_bytes": pdf(PDF_PAGES)},
        },
        {
            "id": "towers",
            "struct_data": {"kind": "tower", "link": "https://example.org/towers"},
            "content": {"mime_type": "text/markdown", "raw_bytes": TOWERS.encode()},
        },
    ]


def rows() -> list[dict[str, Any]]:
    """Return documents of data alone."""
    return [
        {"id": "ferry", "struct_data": {"title": "Ferry", "body": "It crosses in ten minutes."}},
        {"id": "tram", "struct_data": {"title": "Tram", "body": "It runs every half an hour."}},
    ]


def make_data_store(
    module: Any, make_client: Any, data_store_id: str, documents: list[dict[str, Any]]
) -> str:
    """Create a data store, import documents into it, and return its name.

    Args:
        module: The discoveryengine module of a version.
        make_client: Name of a service -> a client of it.
        data_store_id: Id of the data store; it must not exist.
        documents: What to import; with content or all without.
    """
    has_content = any("content" in document for document in documents)
    store = {
        "display_name": data_store_id,
        "industry_vertical": "GENERIC",
        "solution_types": ["SOLUTION_TYPE_SEARCH"],
        "content_config": "CONTENT_REQUIRED" if has_content else "NO_CONTENT",
    }
    created = make_client("DataStoreService").create_data_store(
        request=module.CreateDataStoreRequest(
            parent=COLLECTION, data_store=store, data_store_id=data_store_id
        )
    )
    name: str = created.result(timeout=TIMEOUT_S).name
    operation = make_client("DocumentService").import_documents(
        request=module.ImportDocumentsRequest(
            parent=f"{name}/branches/default_branch", inline_source={"documents": documents}
        )
    )
    result = operation.result(timeout=TIMEOUT_S)
    if result.error_samples or operation.metadata.success_count != len(documents):
        raise AssertionError(f"import: {result} {operation.metadata}")
    return name
