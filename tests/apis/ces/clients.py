"""The official clients of Customer Engagement Suite against a server, and what the tests create."""

from __future__ import annotations

import itertools

import grpc
from google.api_core.client_options import ClientOptions
from google.auth.credentials import AnonymousCredentials
from google.cloud import ces_v1, ces_v1beta
from google.oauth2.credentials import Credentials

APIS = {"v1": ces_v1, "v1beta": ces_v1beta}
LOCATION = "projects/p/locations/us"
WAIT_S = 60

_numbers = itertools.count(1)


def new_id(kind="a"):
    return f"{kind}-{next(_numbers)}"


class _Key(
    grpc.UnaryUnaryClientInterceptor,
    grpc.UnaryStreamClientInterceptor,
    grpc.StreamStreamClientInterceptor,
):
    """Sends a key with every call."""

    def __init__(self, key):
        self._metadata = ("authorization", f"Bearer {key}")

    def _with_key(self, continuation, details, request):
        metadata = [*(details.metadata or ()), self._metadata]
        return continuation(_Details(details, metadata), request)

    intercept_unary_unary = intercept_unary_stream = intercept_stream_stream = _with_key


class _Details(grpc.ClientCallDetails):
    def __init__(self, details, metadata):
        self.method, self.timeout, self.credentials = (
            details.method,
            details.timeout,
            details.credentials,
        )
        self.metadata = metadata


class Clients:
    """The clients of one version over one transport."""

    def __init__(self, version, transport, port, *, key=""):
        self.version = version
        self.api = APIS[version]
        self.transport = transport
        self._port = port
        self._key = key
        self._open = {}

    def __getattr__(self, service):
        """Return the client of a service: `clients.agent` is that of AgentService."""
        if service not in self._open:
            client_class = getattr(self.api, f"{service.capitalize()}ServiceClient")
            self._open[service] = self._make(client_class)
        return self._open[service]

    def _make(self, client_class):
        if self.transport == "rest":
            return client_class(
                transport="rest",
                credentials=Credentials(self._key) if self._key else AnonymousCredentials(),
                client_options=ClientOptions(api_endpoint=f"http://127.0.0.1:{self._port}"),
            )
        channel = grpc.insecure_channel(f"127.0.0.1:{self._port}")
        if self._key:
            channel = grpc.intercept_channel(channel, _Key(self._key))
        return client_class(transport=client_class.get_transport_class("grpc")(channel=channel))

    def close(self):
        for client in self._open.values():
            client.transport.close()

    def make_app(self, **fields):
        """Create an app and return its name."""
        app = {"display_name": "Shop", **fields}
        operation = self.agent.create_app(parent=LOCATION, app=app, app_id=new_id("app"))
        return operation.result(timeout=WAIT_S).name

    def make_agent(self, app, id_="", **fields):
        """Create an agent and return its name."""
        agent = {"display_name": "Clerk", **fields}
        return self.agent.create_agent(parent=app, agent=agent, agent_id=id_ or new_id()).name

    def make_tool(self, app, id_="", **fields):
        """Create a tool, by default a client function, and return its name."""
        tool = fields or {"client_function": {"name": "look_up"}}
        return self.agent.create_tool(parent=app, tool=tool, tool_id=id_ or new_id("t")).name

    def make_shop(self, backend):
        """Create an app with two agents, three tools and two variables; return its name."""
        app = self.make_app(
            variable_declarations=[
                {
                    "name": "plan",
                    "description": "What the customer pays for",
                    "schema": {"type_": "STRING", "default": "basic"},
                },
                {"name": "visits", "description": "Count", "schema": {"type_": "INTEGER"}},
            ]
        )
        order = self.make_tool(
            app,
            "find_order",
            client_function={
                "name": "find_order",
                "description": "Says where an order is and when it arrives.",
                "parameters": {
                    "type_": "OBJECT",
                    "properties": {
                        "order_id": {"type_": "STRING", "description": "The order number"}
                    },
                    "required": ["order_id"],
                },
            },
        )
        guide = self.make_tool(
            app,
            "guide",
            data_store_tool={
                "name": "guide",
                "description": "Answers questions about the sights of the town, such as the tower.",
                "data_store_source": {"data_store": {"name": backend.guides}},
            },
        )
        refund = self.make_tool(
            app,
            "refund",
            client_function={
                "name": "refund_order",
                "description": "Pays the money for an order back.",
                "parameters": {
                    "type_": "OBJECT",
                    "properties": {
                        "order_id": {"type_": "STRING", "description": "The order number"},
                        "reason": {"type_": "STRING", "description": "Why it is returned"},
                    },
                    "required": ["order_id", "reason"],
                },
            },
        )
        returns = self.make_agent(
            app,
            "returns",
            display_name="Returns",
            description="Takes back goods and pays refunds.",
            tools=[refund],
        )
        root = self.make_agent(
            app,
            "root",
            display_name="Root",
            tools=[order, guide, f"{app}/tools/end_session"],
            child_agents=[returns],
        )
        self.agent.update_app(
            app={"name": app, "root_agent": root}, update_mask={"paths": ["root_agent"]}
        )
        return app

    def run(self, app, *inputs, session="s", **config):
        """Run a session and return its outputs; a string is a text."""
        request = self.session_request(app, *inputs, session=session, **config)
        return list(self.session.run_session(request=request).outputs)

    def stream(self, app, *inputs, session="s", **config):
        """The same, as a stream."""
        request = self.session_request(app, *inputs, session=session, **config)
        return [item.outputs[0] for item in self.session.stream_run_session(request=request)]

    def session_request(self, app, *inputs, session, **config):
        given = [{"text": item} if isinstance(item, str) else item for item in inputs]
        return {"config": {"session": f"{app}/sessions/{session}", **config}, "inputs": given}


def responses(*items):
    """Return an input of tool responses, given as (id, response)."""
    given = [{"id": id_, "response": response} for id_, response in items]
    return {"tool_responses": {"tool_responses": given}}


def texts(outputs):
    return [output.text for output in outputs if output.text]


def calls(outputs):
    return [call for output in outputs for call in output.tool_calls.tool_calls]
