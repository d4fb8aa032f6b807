"""What on a page is not its content: navigation, banners, forms, hidden parts, lists of links.

Rules only: elements and roles that HTML itself names so, then class names and link density, each
with a guard so that a page is never emptied. Roles: https://www.w3.org/TR/wai-aria-1.2/#landmark_roles
"""

from __future__ import annotations

import re

from toulmin.ingestion.parsing.xml import Element, local_name

_NEVER = frozenset(
    """
    script style noscript template svg iframe object embed applet canvas audio video button select
    option input datalist nav dialog
    """.split()  # noqa: SIM905 - read as words
)
_NEVER_ROLES = frozenset(
    """
    navigation banner contentinfo search complementary dialog alertdialog menu menubar toolbar
    """.split()  # noqa: SIM905 - read as words
)
_HIDDEN_STYLE = re.compile(r"(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.I)
_CLASS_WORDS = frozenset(
    """
    nav navbar navigation menu breadcrumb breadcrumbs cookie cookies consent sidebar footer share
    sharing social advert advertisement ads promo newsletter subscribe popup modal masthead toolbar
    pagination skiplink skip
    """.split()  # noqa: SIM905 - read as words
)
_WORDS = re.compile(r"[\s_-]+|(?<=[a-z])(?=[A-Z])")
_MOST_OF_PAGE = 0.3
"""A part chosen by its class name or links is kept when it holds more of the page's text."""
_MAIN_LEAST = 0.3
_LINK_DENSITY = 0.7
_MIN_LINKS = 4
_LINK_CHARS = 40
"""Links longer than this on average are not navigation."""
_KEPT = frozenset({"html", "body", "main", "article"})


def remove_boilerplate(root: Element) -> None:
    """Take out of a page what is not content; the elements are removed in place."""
    for element in list(root.iter()):
        if element.getparent() is not None and _is_never_content(element):
            _remove(element)
    lengths = _lengths(root)
    total = max(lengths[root], 1)
    removed: set[Element] = set()
    for element in list(root.iter("div", "section", "ul", "ol", "table", "header", "footer", "a")):
        if element.getparent() in removed:
            removed.add(element)
        elif (_is_named_so(element) or _is_links(element, lengths)) and (
            lengths[element] < _MOST_OF_PAGE * total
        ):
            removed.add(element)
            _remove(element)


def main_content(root: Element) -> Element:
    """Return `<main>`, or the only `<article>`, when it holds much of the text; or the body."""
    total = max(_length(root), 1)
    mains = [e for e in root.iter("main", "div") if local_name(e) == "main" or _role(e) == "main"]
    articles = list(root.iter("article"))
    for found in (mains, articles):
        if len(found) == 1 and _length(found[0]) >= _MAIN_LEAST * total:
            return found[0]
    body = next(iter(root.iter("body", "{*}body")), None)
    return root if body is None else body


def _is_never_content(element: Element) -> bool:
    name = local_name(element).lower()
    if name in _KEPT:
        return False
    if name in _NEVER or _role(element) in _NEVER_ROLES:
        return True
    if "hidden" in element.attrib or element.get("aria-hidden") == "true":
        return True
    return bool(_HIDDEN_STYLE.search(element.get("style") or ""))


def _is_named_so(element: Element) -> bool:
    """Whether the element, its class or its id calls it boilerplate."""
    name = local_name(element).lower()
    if name in ("header", "footer"):
        return not any(
            local_name(a).lower() in ("article", "main") for a in element.iterancestors()
        )
    words = f"{element.get('class') or ''} {element.get('id') or ''}"
    return any(word.lower() in _CLASS_WORDS for word in _WORDS.split(words))


def _is_links(element: Element, lengths: dict[Element, int]) -> bool:
    """Whether most of the text is many short links."""
    links = list(element.iter("a"))
    if len(links) < _MIN_LINKS or element.find(".//h1") is not None:
        return False
    linked = sum(lengths[link] for link in links)
    return linked > _LINK_DENSITY * max(lengths[element], 1) and linked < _LINK_CHARS * len(links)


def _role(element: Element) -> str:
    return str(element.get("role") or "").lower()


def _length(element: Element) -> int:
    return sum(len(text.strip()) for text in element.itertext())


def _lengths(root: Element) -> dict[Element, int]:
    """Return the characters of text under each element, in one pass from the leaves up."""
    lengths: dict[Element, int] = {}
    for element in reversed(list(root.iter())):
        length = len((element.text or "").strip())
        for part in element:
            length += lengths[part] + len((part.tail or "").strip())
        lengths[element] = length
    return lengths


def _remove(element: Element) -> None:
    """Remove an element but not the text behind it."""
    parent = element.getparent()
    tail = element.tail
    if tail:
        before = element.getprevious()
        if before is not None:
            before.tail = (before.tail or "") + tail
        else:
            parent.text = (parent.text or "") + tail
    parent.remove(element)
