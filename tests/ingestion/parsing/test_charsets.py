"""Text and mail in encodings other than UTF-8."""

import base64

import pytest

from toulmin.ingestion.parsing.charset import decode, is_text
from toulmin.ingestion.parsing.parse import parse

_TEXTS = {
    "en": "Oil prices rose in March.\nDemand fell.",
    "ja": "東京の石油価格は3月に上昇した。\n需要は減少 100 トンです。",
    "zh": "三月份石油价格上涨。 需求下降了 100 吨。\n天然气价格不变，",
    "ru": "Цены на нефть выросли в марте.\nСпрос упал на 100 тонн.",
    "ar": "ارتفعت أسعار النفط في مارس.\nانخفض الطلب 100",
    "emoji": "Oil 😀 rose",
}
_WIDE = ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"]


@pytest.mark.parametrize("encoding", _WIDE)
@pytest.mark.parametrize("language", _TEXTS)
def test_wide_text_with_and_without_a_mark(language, encoding):
    for times in (1, 100):
        content = (_TEXTS[language] * times).encode(encoding)
        assert is_text(content)
        assert decode(content)[0] == _TEXTS[language] * times


@pytest.mark.parametrize(
    "content",
    [b"hello \0world ", b"hello w\0rld! " * 99 + b"a", b"a,b\0\n1,2\n" * 30, b"abc\0"],
)
def test_text_with_a_zero_byte_is_not_taken_for_wide_text(content):
    assert decode(content)[1] == "utf-8"
    assert not is_text(content)


@pytest.mark.parametrize("encoding", _WIDE)
@pytest.mark.parametrize(
    ("name", "text", "shown"),
    [
        ("a.md", "# A\n\n- é", "A\n\n- é"),
        ("a.html", '<html><meta charset="utf-16"><body><p>é</p></body></html>', "é"),
        ("a.xml", '<?xml version="1.0" encoding="UTF-16"?><a>é</a>', "é"),
        ("a.csv", "a;b\né;2\n", "| a | b |\n|---|---|\n| é | 2 |"),
        ("a.json", '{"a": "é"}', "a: é"),
        ("a.jsonl", '{"a": "é"}\n{"a": 2}\n', "a: é\n\na: 2"),
        ("a.rst", "A\n=\n\n*é*", "A\n\né"),
        ("a.org", "* A\n/é/", "A\n\né"),
        ("a.adoc", "= A\n\n_é_", "A\n\né"),
        ("a.eml", "From: é <a@b.c>\r\nSubject: A\r\n\r\né", "A\n\nFrom: é <a@b.c>\n\né"),
        ("", '{"a": "é"}\n{"a": 2}\n', "a: é\n\na: 2"),
    ],
)
def test_every_text_format_may_be_wide(name, text, shown, encoding):
    document = parse(text.encode(encoding), name=name or None)
    assert document.text == shown
    assert document.notes[0].startswith(f"Read as {encoding[:6]}")


def _word(text: str, charset: str, encoding: str) -> str:
    return f"=?{charset}?B?{base64.b64encode(text.encode(encoding)).decode()}?="


@pytest.mark.parametrize(
    ("charset", "encoding", "text"),
    [
        ("iso-2022-jp", "iso-2022-jp", "石油価格の上昇"),
        ("x-sjis", "cp932", "石油価格の上昇"),
        ("ks_c_5601-1987", "cp949", "유가가 상승했다"),
        ("gb2312", "gb18030", "镕石油价格"),
        ("windows-1251", "cp1251", "Цены на нефть"),
        ("iso-8859-8-i", "iso-8859-8", "שלום עולם"),
        ("unicode-1-1-utf-7", "utf-7", "Größe"),
        ("utf-16", "utf-16", "石油価格"),
        ("utf-16be", "utf-16-be", "石油価格 10"),
        ("iso-8859-1", "cp1252", "“€ 5”"),
        ("x-unknown", "utf-8", "石油"),
    ],
)
def test_mail_in_odd_encodings(charset, encoding, text):
    head = (
        f"From: {_word(text, charset, encoding)} <a@b.c>\nTo: b@c.d\n"
        f"Subject: {_word(text, charset, encoding)}\nMIME-Version: 1.0\n"
        f"Content-Type: text/plain; charset={charset}\nContent-Transfer-Encoding: base64\n\n"
    )
    body = base64.encodebytes(f"{text} 1.\n".encode(encoding))
    document = parse(head.encode() + body, name="a.eml")
    assert document.metadata.title == text
    assert document.metadata.author.startswith(text)
    assert document.text.endswith(f"\n\n{text} 1.")


def test_headers_in_bytes_that_nobody_encoded():
    mail = "From: Jörg <a@b.c>\nSubject: Größe\n\nBody"
    assert parse(b"\xef\xbb\xbf" + mail.encode(), name="a.eml").metadata.title == "Größe"
    broken = b"Subject: =?utf-8?B?###?= =?utf-8?q?abc\nFrom: a@b.c\n\nBody"
    assert parse(broken, name="a.eml").text.endswith("Body")


@pytest.mark.parametrize(
    ("content_type", "shown", "note"),
    [
        ("application/pkcs7-mime; smime-type=enveloped-data", "x\n\nFrom: a@b.c", "encrypted"),
        ("multipart/encrypted; boundary=b", "x\n\nFrom: a@b.c", "encrypted"),
        (
            "application/pdf; name=a.pdf",
            "x\n\nFrom: a@b.c\n\n- Attachment: a.pdf (application/pdf, 3 bytes)",
            "",
        ),
    ],
)
def test_a_body_that_is_no_text_is_not_read_as_text(content_type, shown, note):
    mail = (
        f"From: a@b.c\nSubject: x\nMIME-Version: 1.0\nContent-Type: {content_type}\n"
        "Content-Transfer-Encoding: base64\n\nMIIB\n"
    )
    document = parse(mail.encode(), name="a.eml")
    assert document.text == shown
    assert note in " ".join(document.notes)
