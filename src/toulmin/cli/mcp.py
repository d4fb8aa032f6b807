"""`toulmin mcp`: check, ask and search as tools of the Model Context Protocol."""

from __future__ import annotations

import argparse
from typing import Final

from toulmin.cli import ask
from toulmin.cli.access import add_place_flags, collection_of, opened_api
from toulmin.cli.settings_flags import add_settings_flags, settings_from
from toulmin.errors import FailedPrecondition, InvalidArgument

_PORT: Final = 8081
_LAST_PORT: Final = 65535
_EPILOG = """\
Without --server the data folder is opened by this command, which a running server prevents. Over
HTTP it answers this machine alone, at http://127.0.0.1:8081/mcp, and needs no key: whoever may use
this machine may use it.

examples:
  toulmin mcp                                        # standard input and output, for an editor
  toulmin mcp --server http://127.0.0.1:8080         # the documents of a running server
  toulmin mcp --http 8081
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verb's options to its parser."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument(
        "--http", type=int, nargs="?", const=_PORT, metavar="PORT",
        help=f"streamable HTTP instead of standard input and output (default port: {_PORT})",
    )  # fmt: skip
    add_place_flags(parser)
    add_settings_flags(parser, only=ask.SETTING_NAMES)


def run(arguments: argparse.Namespace) -> int:
    """Answer until the other side hangs up, or until Ctrl-C; return 0.

    Raises:
        FailedPrecondition: The extra is not installed, or the data folder is in use.
        InvalidArgument: A flag is wrong.
    """
    settings = settings_from(arguments)
    collection = collection_of(arguments)
    if arguments.http is not None and not 1 <= arguments.http <= _LAST_PORT:
        raise InvalidArgument.of_field(
            "--http", f"is {arguments.http}; it must be a port from 1 to {_LAST_PORT}"
        )
    try:
        from toulmin.cli.mcp_server import build_server
    except ModuleNotFoundError as error:
        raise FailedPrecondition(
            "toulmin mcp needs the Model Context Protocol: pip install 'toulmin[mcp]'"
        ) from error
    with opened_api(arguments, settings) as api:
        server = build_server(api, collection)
        if arguments.http is not None:
            server.run("streamable-http", host="127.0.0.1", port=arguments.http)
        else:
            server.run("stdio")
    return 0
