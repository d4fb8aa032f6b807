"""The response of `generateGroundedContent` as a chat completion, or as its chunks.

The text is followed by the numbered sources, each with the sentence that rests on it, since most
clients show nothing but text. For programs the same is in `annotations`, in OpenAI's form.
A stream's chunks come to the same text.

Source: https://platform.openai.com/docs/api-reference/chat/object
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from toulmin.apis.openai.chat import SOURCES

_SHOWN: Final = 160


def completion(response: Mapping[str, Any], *, id_: str, model: str) -> dict[str, Any]:
    """Return a `chat.completion` of a response's JSON."""
    candidate = response["candidates"][0]
    text = _text(candidate)
    message: dict[str, Any] = {"role": "assistant", "content": text + _list(candidate)}
    if annotations := _annotations(candidate, text):
        message["annotations"] = annotations
    choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
    return {**_head("chat.completion", id_, model), "choices": [choice]}


def chunks(
    responses: Iterable[Mapping[str, Any]], *, id_: str, model: str
) -> Iterator[dict[str, Any]]:
    """Yield each `chat.completion.chunk` of a stream of responses, the last with its end."""
    head = _head("chat.completion.chunk", id_, model)

    def chunk(delta: Mapping[str, Any], finish: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
        return {**head, "choices": [choice]}

    yield chunk({"role": "assistant", "content": ""})
    text = ""
    for response in responses:
        candidate = response["candidates"][0]
        new = _text(candidate)
        text += new
        said: dict[str, Any] = {"content": new + _list(candidate)}
        if annotations := _annotations(candidate, text):
            said["annotations"] = annotations
        if said["content"]:
            yield chunk(said)
    yield chunk({}, "stop")


def _head(kind: str, id_: str, model: str) -> dict[str, Any]:
    return {"id": f"chatcmpl-{id_}", "object": kind, "created": int(time.time()), "model": model}


def _text(candidate: Mapping[str, Any]) -> str:
    return "".join(part.get("text", "") for part in candidate["content"]["parts"])


def _list(candidate: Mapping[str, Any]) -> str:
    """Return the sources as text; empty where there are none."""
    chunks_ = _supporting(candidate)
    lines = []
    for number, chunk in enumerate(chunks_):
        page = chunk.get("sourceMetadata", {}).get("page_identifier", "")
        title = chunk.get("title") or chunk.get("source", "").rpartition("/documents/")[2]
        parts = [f"[{number + 1}] {title}", f"page {page}" if page else "", chunk.get("uri", "")]
        line = ", ".join(part for part in parts if part)
        claims = [claim for claim, places in _claims(candidate) if number in places]
        if claims:
            said = " ".join(claims)
            line += f': "{said if len(said) <= _SHOWN else said[:_SHOWN].rstrip() + "…"}"'
        lines.append(line)
    return SOURCES + "\n".join(lines) if lines else ""


def _supporting(candidate: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return list(candidate.get("groundingMetadata", {}).get("supportChunks", []))


def _claims(candidate: Mapping[str, Any]) -> Iterator[tuple[str, list[int]]]:
    for support in candidate.get("groundingMetadata", {}).get("groundingSupport", []):
        yield support.get("claimText", ""), support.get("supportChunkIndices", [])


def _annotations(candidate: Mapping[str, Any], text: str) -> list[dict[str, Any]]:
    """Return an annotation for each sentence and each source of it, with places in characters."""
    found: list[dict[str, Any]] = []
    sources, start = _supporting(candidate), 0
    for claim, places in _claims(candidate):
        at = text.find(claim, start)
        if at < 0:
            continue
        start = at + len(claim)
        for place in places:
            cited = {
                "start_index": at,
                "end_index": start,
                "title": sources[place].get("title", ""),
                "url": sources[place].get("uri", ""),
            }
            found.append({"type": "url_citation", "url_citation": cited})
    return found
