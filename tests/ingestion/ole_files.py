"""OLE compound files and Outlook's messages, made by hand (MS-CFB version 3, MS-OXMSG)."""

import struct
from collections.abc import Mapping
from datetime import UTC, datetime

Tree = Mapping[str, "bytes | Tree"]
_FREE, _END, _FAT = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
_SECTOR, _MINI, _CUTOFF = 512, 64, 4096


class _Entry:
    def __init__(self, name: str, kind: int, data: bytes = b"") -> None:
        self.name, self.kind, self.data = name, kind, data
        self.next = self.child = _FREE
        self.start, self.size = _END, len(data)

    def packed(self) -> bytes:
        name = self.name.encode("utf-16-le")
        return struct.pack(
            "<64sHBBIII16sIQQII4x",
            name, len(name) + 2, self.kind, 1, _FREE, self.next, self.child,
            b"", 0, 0, 0, self.start, self.size,
        )  # fmt: skip


def ole(tree: Tree) -> bytes:
    """A file with these streams (bytes) and storages (mappings)."""
    root = _Entry("Root Entry", 5)
    entries = [root]
    _grow(root, tree, entries)
    sectors: list[bytes] = []
    fat: list[int] = []

    def chain(data: bytes) -> int:
        first = len(sectors)
        count = -(-len(data) // _SECTOR)
        for number in range(count):
            sectors.append(data[number * _SECTOR : (number + 1) * _SECTOR].ljust(_SECTOR, b"\0"))
            fat.append(first + number + 1 if number + 1 < count else _END)
        return first if count else _END

    mini, minifat = b"", []
    for entry in entries:
        if entry.kind != 2 or not entry.data:
            continue
        if len(entry.data) >= _CUTOFF:
            entry.start = chain(entry.data)
            continue
        entry.start = len(minifat)
        count = -(-len(entry.data) // _MINI)
        minifat += [entry.start + n + 1 for n in range(count - 1)] + [_END]
        mini += entry.data.ljust(count * _MINI, b"\0")
    root.start, root.size = chain(mini), len(mini)
    minifat_bytes = b"".join(struct.pack("<I", n) for n in minifat)
    minifat_bytes += b"\xff" * (-len(minifat_bytes) % _SECTOR)
    minifat_at = chain(minifat_bytes)
    directory = b"".join(entry.packed() for entry in entries)
    while len(directory) % _SECTOR:
        directory += struct.pack("<64sHBBIII", b"", 0, 0, 0, _FREE, _FREE, _FREE).ljust(128, b"\0")
    directory_at = chain(directory)
    count = next(n for n in range(1, 110) if n * 128 >= len(fat) + n)
    fat_at = len(sectors)
    fat += [_FAT] * count
    fat += [_FREE] * (count * 128 - len(fat))
    packed_fat = struct.pack(f"<{len(fat)}I", *fat)
    header = struct.pack(
        "<8s16sHHHHH6xIIIIIIIII",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"", 0x3E, 3, 0xFFFE, 9, 6,
        0, count, directory_at, 0, _CUTOFF,
        minifat_at, len(minifat_bytes) // _SECTOR, _END, 0,
    )  # fmt: skip
    difat = [fat_at + n for n in range(count)] + [_FREE] * (109 - count)
    return header + struct.pack("<109I", *difat) + b"".join(sectors) + packed_fat


def _grow(parent: _Entry, tree: Tree, entries: list[_Entry]) -> None:
    """Add a storage's entries, in the order of the specification, each right of the one before."""
    before: _Entry | None = None
    for name in sorted(tree, key=lambda name: (len(name), name.upper())):
        data = tree[name]
        entry = _Entry(name, 2, data) if isinstance(data, bytes) else _Entry(name, 1)
        number = len(entries)
        entries.append(entry)
        if before is None:
            parent.child = number
        else:
            before.next = number
        before = entry
        if not isinstance(data, bytes):
            _grow(entry, data, entries)


def ticks(moment: datetime) -> int:
    return int((moment - datetime(1601, 1, 1, tzinfo=UTC)).total_seconds()) * 10_000_000


def properties(
    kind: str = "", **numbers: "str | bytes | int | datetime"
) -> dict[str, bytes | Tree]:
    """Streams of properties, such as p0037="Subject"; `kind` as in the reader's storages."""
    tree: dict[str, bytes | Tree] = {}
    fixed = b""
    for name, value in numbers.items():
        number = int(name[1:5], 16)
        if isinstance(value, str):
            data = value.encode("utf-16-le")
            tree[f"__substg1.0_{number:04X}001F"] = data
            fixed += struct.pack("<HHIII", 0x1F, number, 6, len(data) + 2, 0)
        elif isinstance(value, bytes):
            tag = name[5:] or "0102"
            tree[f"__substg1.0_{number:04X}{tag.upper()}"] = value
            fixed += struct.pack("<HHIII", int(tag, 16), number, 6, len(value), 0)
        elif isinstance(value, datetime):
            fixed += struct.pack("<HHIQ", 0x40, number, 6, ticks(value))
        else:
            fixed += struct.pack("<HHIII", 3, number, 6, value, 0)
    head = {"": 32, "message": 24, "part": 8}[kind]
    tree["__properties_version1.0"] = b"\0" * head + fixed
    return tree


def recipient(name: str, address: str, kind: int) -> Tree:
    return properties("part", p3001=name, p39FE=address, p0C15=kind)


def message() -> Tree:
    """A message with a recipient of each kind, two attachments and an enclosed message."""
    from tests.ingestion import files

    enclosed = properties("message", p001A="IPM.Note", p0037="Inside", p1000="Small talk.")
    return properties(
        p001A="IPM.Note",
        p0037="Größe der Lieferung",
        p0039=datetime(2024, 2, 1, 9, 5, tzinfo=UTC),
        p0C1A="Jörg Müller",
        p5D01="j.mueller@example.org",
        p1000="Hello.\r\n\r\n5 € each, 東京.\r\n",
        p1013=b"<p>Never shown</p>",
        p1035="<1@example.org>",
    ) | {
        "__nameid_version1.0": {f"__substg1.0_000{n}0102": b"" for n in (2, 3, 4)},
        "__recip_version1.0_#00000000": recipient("Ann", "ann@example.org", 1),
        "__recip_version1.0_#00000001": recipient("Bob", "bob@example.org", 1),
        "__recip_version1.0_#00000002": recipient("Cleo", "/o=EX/cn=cleo", 2),
        "__attach_version1.0_#00000000": properties("part", p3707="logo.png", p3701=files.PNG),
        "__attach_version1.0_#00000001": properties(
            "part", p3704="REPORT~1.PDF", p3707="report 2024.pdf", p370E="application/pdf",
            p3701=b"%PDF" * 2000,
        ),
        "__attach_version1.0_#00000002": properties("part") | {"__substg1.0_3701000D": enclosed},
    }  # fmt: skip
