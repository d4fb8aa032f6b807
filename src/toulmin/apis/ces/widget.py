"""WidgetService: tokens by which a web page talks in one session and does nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from toulmin.agents import Deployment
from toulmin.apis.aip.registry import CallContext
from toulmin.apis.ces.names import parse_in_app, parse_session
from toulmin.apis.schema import ces_pb2 as pb
from toulmin.callers import ChatScope
from toulmin.domain import JsonObject
from toulmin.errors import InvalidArgument, Unimplemented
from toulmin.services.chat_tokens import ChatTokens
from toulmin.stores.records import RecordStore


@dataclass(frozen=True, slots=True)
class WidgetHandlers:
    """The handlers.

    Attributes:
        records: Returns the record store.
        chat_tokens: Returns what makes tokens.
    """

    records: Callable[[], RecordStore]
    chat_tokens: Callable[[], ChatTokens]

    def generate_chat_token(
        self, request: pb.GenerateChatTokenRequest, context: CallContext
    ) -> pb.GenerateChatTokenResponse:
        """Answer GenerateChatToken. `recaptcha_token` is not looked at: none is needed.

        Raises:
            InvalidArgument: A name is wrong, or the deployment is of another app.
            NotFound: There is no such deployment.
            Unimplemented: The deployment asks for reCAPTCHA, or the request for live handoff.
        """
        session = parse_session(request.name, field="name")
        deployment = parse_in_app(request.deployment, Deployment.collection, field="deployment")
        if deployment.app != session.app:
            raise InvalidArgument.of_field(
                "deployment", f'"{request.deployment[:200]}" is not of {session.app}'
            )
        if request.live_handoff_enabled:
            raise _not_built("live_handoff_enabled")
        with self.records().read() as transaction:
            found = transaction.resources.get(Deployment, deployment.name)
        if _security(found.fields).get("enableRecaptcha"):
            raise _not_built("webWidgetConfig.securitySettings.enableRecaptcha of the deployment")
        scope = ChatScope(session.name, deployment.name)
        response: pb.GenerateChatTokenResponse = context.new_message()
        response.chat_token, expires = self.chat_tokens().make(scope, context.caller.id)
        response.expire_time.FromDatetime(expires)
        return response


def _security(deployment: JsonObject) -> JsonObject:
    widget: JsonObject = deployment.get("channelProfile", {}).get("webWidgetConfig", {})
    found: JsonObject = widget.get("securitySettings", {})
    return found


def _not_built(what: str) -> Unimplemented:
    return Unimplemented(f"{what} is not implemented in this version of Toulmin")
