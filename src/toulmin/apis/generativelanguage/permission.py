"""PermissionService: who may do what with a corpus. Kept and shown, not enforced.

What a caller may do depends on its key; these permissions are there for programs that write them
and read them back. There are no tuned models here, so what is asked of
one, such as to transfer it, is answered NOT_FOUND.

https://github.com/googleapis/googleapis/blob/master/google/ai/generativelanguage/v1beta/permission_service.proto
"""

from __future__ import annotations

import dataclasses
import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from google.protobuf.message import Message

from toulmin.apis.aip.paging import page_size
from toulmin.apis.aip.registry import CallContext, Handler, Registry
from toulmin.apis.generativelanguage.convert import changed_fields
from toulmin.apis.generativelanguage.lookup import find_corpus
from toulmin.apis.generativelanguage.names import (
    CorpusId,
    corpus_id_of,
    corpus_name,
    data_store_of,
    parse_permission,
    parse_permission_parent,
    parse_tuned_model,
)
from toulmin.apis.schema import generativelanguage_pb2 as pb
from toulmin.domain import Permission
from toulmin.errors import AlreadyExists, InvalidArgument, NotFound
from toulmin.stores.records import RecordStore, Transaction

DEFAULT_PAGE: Final = 10
MOST_IN_PAGE: Final = 1_000
_Grantee: Final = pb.Permission.GranteeType
_Role: Final = pb.Permission.Role
_GRANTEE_TYPES: Final = {
    _Grantee.USER: "USER",
    _Grantee.GROUP: "GROUP",
    _Grantee.EVERYONE: "EVERYONE",
}
_ROLES: Final = {_Role.OWNER: "OWNER", _Role.WRITER: "WRITER", _Role.READER: "READER"}
_EMAIL: Final = re.compile(r"[^@\s\0]+@[^@\s\0]+")
_LONGEST_EMAIL: Final = 320
_ID_CHARS: Final = 12
_EVERYONE: Final = "EVERYONE"


def register_permissions(registry: Registry, *, records: Callable[[], RecordStore]) -> None:
    """Bind every RPC of PermissionService, in v1beta and v1alpha.

    Args:
        registry: Where the handlers go.
        records: Returns the record store.
    """
    permissions = _Permissions(records)
    handlers: dict[str, Handler] = {
        "CreatePermission": permissions.create,
        "GetPermission": permissions.get,
        "ListPermissions": permissions.list,
        "UpdatePermission": permissions.update,
        "DeletePermission": permissions.delete,
        "TransferOwnership": permissions.transfer_ownership,
    }
    for method, handler in handlers.items():
        registry.register("generativelanguage", "PermissionService", method, handler)


@dataclass(frozen=True, slots=True)
class _Permissions:
    """The handlers."""

    records: Callable[[], RecordStore]

    def create(self, request: pb.CreatePermissionRequest, context: CallContext) -> pb.Permission:
        """Answer CreatePermission; one for each grantee."""
        corpus_id = _corpus_of_parent(request.parent, context)
        new = _to_permission(request.permission, corpus_id)
        with self.records().write() as transaction:
            find_corpus(transaction, corpus_id)
            try:
                stored = transaction.resources.create(new)
            except AlreadyExists:
                raise AlreadyExists(
                    f"{_name(new)} exists already, for the same grantee; update its role."
                ) from None
        return _response(context, stored)

    def get(self, request: pb.GetPermissionRequest, context: CallContext) -> pb.Permission:
        """Answer GetPermission."""
        corpus_id, id_ = _parse(request.name, context, field="name")
        with self.records().read() as transaction:
            return _response(context, _found(transaction, corpus_id, id_))

    def list(
        self, request: pb.ListPermissionsRequest, context: CallContext
    ) -> pb.ListPermissionsResponse:
        """Answer ListPermissions, oldest first."""
        corpus_id = _corpus_of_parent(request.parent, context)
        size = page_size(request, default=DEFAULT_PAGE, maximum=MOST_IN_PAGE)
        with self.records().read() as transaction:
            find_corpus(transaction, corpus_id)
            page = transaction.resources.list_oldest_first(
                Permission,
                data_store_of(corpus_id),
                page_size=size,
                page_token=request.page_token,
            )
        response: pb.ListPermissionsResponse = context.new_message()
        for permission in page.items:
            _fill(response.permissions.add(), permission)
        response.next_page_token = page.next_page_token
        return response

    def update(self, request: pb.UpdatePermissionRequest, context: CallContext) -> pb.Permission:
        """Answer UpdatePermission: its role."""
        corpus_id, id_ = _parse(request.permission.name, context, field="permission.name")
        changed_fields(request.update_mask, request.permission, ("role",))
        role = _role(request.permission)
        with self.records().write() as transaction:
            old = _found(transaction, corpus_id, id_)
            stored = transaction.resources.update(dataclasses.replace(old, role=role))
        return _response(context, stored)

    def delete(self, request: pb.DeletePermissionRequest, context: CallContext) -> Message:
        """Answer DeletePermission."""
        corpus_id, id_ = _parse(request.name, context, field="name")
        with self.records().write() as transaction:
            found = _found(transaction, corpus_id, id_)
            transaction.resources.delete(Permission, found.name)
        return context.empty_message()

    def transfer_ownership(
        self,
        request: pb.TransferOwnershipRequest,
        context: CallContext,  # noqa: ARG002
    ) -> pb.TransferOwnershipResponse:
        """Answer TransferOwnership, which is for tuned models only."""
        id_ = parse_tuned_model(request.name, field="name")
        _check_email(request.email_address, field="email_address")
        raise _no_tuned_model(id_)


def _corpus_of_parent(parent: str, context: CallContext) -> CorpusId:
    corpus_id, tuned_model = parse_permission_parent(parent, context.caller, field="parent")
    if corpus_id is None:
        raise _no_tuned_model(tuned_model)
    return corpus_id


def _parse(name: str, context: CallContext, *, field: str) -> tuple[CorpusId, str]:
    """Return the corpus, and the id of the permission."""
    corpus_id, tuned_model, id_ = parse_permission(name, context.caller, field=field)
    if corpus_id is None:
        raise _no_tuned_model(tuned_model)
    return corpus_id, id_


def _no_tuned_model(id_: str) -> NotFound:
    return NotFound(f"tunedModels/{id_} does not exist; this server has no tuned models.")


def _found(transaction: Transaction, corpus_id: CorpusId, id_: str) -> Permission:
    find_corpus(transaction, corpus_id)
    wanted = f"{data_store_of(corpus_id)}/{Permission.collection}/{id_}"
    try:
        return transaction.resources.get(Permission, wanted)
    except NotFound:
        raise NotFound(f"{corpus_name(corpus_id)}/permissions/{id_} does not exist.") from None


def _to_permission(message: pb.Permission, corpus_id: CorpusId) -> Permission:
    grantee_type = _GRANTEE_TYPES.get(message.grantee_type)
    if grantee_type is None:
        raise InvalidArgument.of_field(
            "permission.grantee_type", f"is required: one of {', '.join(_GRANTEE_TYPES.values())}"
        )
    email = message.email_address
    if grantee_type != _EVERYONE:
        _check_email(email, field="permission.email_address")
    elif email:
        raise InvalidArgument.of_field(
            "permission.email_address", "must be empty where the grantee is EVERYONE"
        )
    return Permission(
        parent=data_store_of(corpus_id),
        id=_id(grantee_type, email),
        grantee_type=grantee_type,
        email_address=email,
        role=_role(message),
    )


def _role(message: pb.Permission) -> str:
    role = _ROLES.get(message.role)
    if role is None:
        raise InvalidArgument.of_field(
            "permission.role", f"is required: one of {', '.join(_ROLES.values())}"
        )
    return role


def _check_email(email: str, *, field: str) -> None:
    if len(email) > _LONGEST_EMAIL or _EMAIL.fullmatch(email) is None:
        raise InvalidArgument.of_field(field, f'"{email[:200]}" is no e-mail address')


def _id(grantee_type: str, email: str) -> str:
    """Return the id of a grantee's permission: the same grantee, the same id."""
    return hashlib.sha256(f"{grantee_type} {email.lower()}".encode()).hexdigest()[:_ID_CHARS]


def _name(permission: Permission) -> str:
    return f"{corpus_name(corpus_id_of(permission.parent))}/permissions/{permission.id}"


def _response(context: CallContext, permission: Permission) -> pb.Permission:
    response: pb.Permission = context.new_message()
    _fill(response, permission)
    return response


def _fill(message: pb.Permission, permission: Permission) -> None:
    message.name = _name(permission)
    message.grantee_type = _Grantee.Value(permission.grantee_type)
    message.role = _Role.Value(permission.role)
    if permission.email_address:
        message.email_address = permission.email_address
