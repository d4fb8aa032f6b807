"""A registry of scripted handlers on real RPCs, for tests of the server alone.

What CheckGrounding does is said by the first word of `answerCandidate`.
"""

from __future__ import annotations

import threading
import time

from tests.patience import PATIENCE_S
from toulmin.apis.aip.registry import Registry
from toulmin.apis.schema import load_schema
from toulmin.errors import FieldViolation, InvalidArgument, NotFound


class Script:
    """What the handlers did, and switches that tests turn."""

    def __init__(self):
        self.release = threading.Event()
        self.entered = threading.Semaphore(0)
        self.stopped = threading.Event()
        self.finished = threading.Event()
        self.deadlines = []

    def check_grounding(self, request, context):
        word, _, rest = request.answer_candidate.partition(" ")
        action = getattr(self, f"_do_{word}", None)
        if action is not None:
            action(rest, context)
        self.deadlines.append(context.deadline)
        response = context.new_message()
        response.support_score = 0.75
        for index, fact in enumerate(request.facts):
            response.cited_chunks.add(chunk_text=fact.fact_text, source=str(index))
        claim = response.claims.add(claim_text=request.answer_candidate)
        claim.citation_indices.extend(range(len(request.facts)))
        context.timings["infer_ms"] = 1.5
        self.finished.set()
        return response

    def _do_refuse(self, rest, context):
        raise InvalidArgument(
            "facts[0].factText: has 10,001 characters; at most 10,000 are allowed",
            violations=[FieldViolation("facts[0].factText", "has 10,001 characters")],
            reason="TOO_LONG",
        )

    def _do_lose(self, rest, context):
        raise NotFound(f"There is no {rest}")

    def _do_break(self, rest, context):
        raise KeyError(f"secret text of the user: {rest}")

    def _do_hold(self, rest, context):
        """Run until the test lets go, whether or not anybody still waits for it."""
        self.entered.release()
        assert self.release.wait(PATIENCE_S)

    def _do_watch(self, rest, context):
        """Run until the caller is gone."""
        self.entered.release()
        limit = time.monotonic() + PATIENCE_S
        while time.monotonic() < limit:
            if context.is_cancelled():
                self.stopped.set()
                return
            time.sleep(0.005)

    def stream_answer(self, request, context):
        """Yield as many answers as the query's text says: "3", "3 fail", "0 fail", "3 slow"."""
        count, _, ending = request.query.text.partition(" ")
        try:
            for index in range(int(count)):
                message = context.new_message()
                message.answer.answer_text = f"part {index} "
                message.answer.state = 3
                yield message
                if ending == "slow":
                    self.entered.release()
                    self.release.wait(0.05)
            if ending == "fail":
                raise NotFound("the rest of the answer")
        finally:
            self.stopped.set()

    def converse(self, requests, context):
        for request in requests:
            message = context.new_message()
            message.candidates.add(index=len(request.contents))
            yield message

    def collect_event(self, request, context):
        response = context.new_message()
        response.content_type, response.data = "image/gif", b"GIF89a"
        return response


def make_registry(script):
    registry = Registry(load_schema())
    registry.register(
        "discoveryengine", "GroundedGenerationService", "CheckGrounding", script.check_grounding
    )
    registry.register(
        "discoveryengine", "ConversationalSearchService", "StreamAnswerQuery", script.stream_answer
    )
    registry.register(
        "discoveryengine",
        "GroundedGenerationService",
        "StreamGenerateGroundedContent",
        script.converse,
        versions=["v1"],
    )
    registry.register(
        "discoveryengine", "UserEventService", "CollectUserEvent", script.collect_event
    )
    return registry
