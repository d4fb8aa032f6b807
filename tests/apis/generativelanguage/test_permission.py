"""PermissionService through the official clients of both versions."""

from __future__ import annotations

import re

import pytest
from google.api_core.exceptions import NotFound

from tests.apis.generativelanguage.test_corpus import TAKEN, refused

pytestmark = pytest.mark.client

READER, WRITER = 3, 2
ADA = {"grantee_type": "USER", "email_address": "ada@example.org", "role": "READER"}


def test_a_permission_is_created_read_changed_and_deleted(clients):
    corpus = clients.make_corpus()
    made = clients.permission.create_permission(parent=corpus, permission=ADA)
    assert re.fullmatch(rf"{corpus}/permissions/[a-z0-9]+", made.name)
    assert (made.grantee_type, made.email_address, made.role) == (1, "ada@example.org", READER)
    assert clients.permission.get_permission(name=made.name) == made
    changed = clients.permission.update_permission(
        permission={"name": made.name, "role": "WRITER"}, update_mask={"paths": ["role"]}
    )
    assert (changed.role, changed.email_address) == (WRITER, "ada@example.org")
    clients.permission.delete_permission(name=made.name)
    with pytest.raises(NotFound, match=made.name):
        clients.permission.get_permission(name=made.name)
    with pytest.raises(NotFound, match=made.name):
        clients.permission.delete_permission(name=made.name)


def test_everyone_and_groups(clients):
    corpus = clients.make_corpus()
    everyone = clients.permission.create_permission(
        parent=corpus, permission={"grantee_type": "EVERYONE", "role": "READER"}
    )
    assert "email_address" not in everyone
    group = clients.permission.create_permission(
        parent=corpus, permission={**ADA, "grantee_type": "GROUP"}
    )
    user = clients.permission.create_permission(parent=corpus, permission=ADA)
    pages = clients.permission.list_permissions(request={"parent": corpus, "page_size": 2}).pages
    assert [[item.name for item in page.permissions] for page in pages] == [
        [everyone.name, group.name],
        [user.name],
    ]


def test_a_grantee_has_one_permission(clients):
    corpus = clients.make_corpus()
    clients.permission.create_permission(parent=corpus, permission=ADA)
    with pytest.raises(TAKEN, match="same grantee"):
        clients.permission.create_permission(
            parent=corpus, permission={**ADA, "email_address": "Ada@example.org", "role": "OWNER"}
        )


def test_permissions_go_with_their_corpus(beta):
    corpus = beta.make_corpus()
    made = beta.permission.create_permission(parent=corpus, permission=ADA)
    beta.retriever.delete_corpus(name=corpus)
    beta.make_corpus(name=corpus)
    assert list(beta.permission.list_permissions(parent=corpus)) == []
    with pytest.raises(NotFound):
        beta.permission.get_permission(name=made.name)


@pytest.mark.parametrize(
    ("permission", "words"),
    [
        ({**ADA, "role": "ROLE_UNSPECIFIED"}, ["permission.role", "OWNER, WRITER, READER"]),
        ({**ADA, "grantee_type": 0}, ["permission.grantee_type", "required"]),
        ({**ADA, "email_address": ""}, ["permission.email_address"]),
        ({**ADA, "email_address": "ada"}, ["permission.email_address", "ada"]),
        ({**ADA, "email_address": f"{'a' * 320}@b"}, ["permission.email_address"]),
        ({**ADA, "grantee_type": "EVERYONE"}, ["permission.email_address", "must be empty"]),
    ],
)
def test_what_a_permission_cannot_be(beta, permission, words):
    corpus = beta.make_corpus()
    refused(lambda: beta.permission.create_permission(parent=corpus, permission=permission), *words)


def test_only_the_role_can_be_changed(beta):
    made = beta.permission.create_permission(parent=beta.make_corpus(), permission=ADA)
    for mask, permission, word in (
        ([], {"role": "OWNER"}, "required"),
        (["email_address"], {"email_address": "b@c"}, "cannot be changed"),
        (["role"], {}, "permission.role"),
    ):
        refused(
            lambda mask=mask, permission=permission: beta.permission.update_permission(
                permission={"name": made.name, **permission}, update_mask={"paths": mask}
            ),
            word,
        )


def test_there_are_no_tuned_models(clients):
    permission = clients.permission
    for call in (
        lambda: permission.create_permission(parent="tunedModels/m", permission=ADA),
        lambda: permission.list_permissions(parent="tunedModels/m"),
        lambda: permission.get_permission(name="tunedModels/m/permissions/p"),
        lambda: permission.transfer_ownership(
            request={"name": "tunedModels/m", "email_address": "b@example.org"}
        ),
    ):
        with pytest.raises(NotFound, match="tunedModels/m does not exist"):
            call()


def test_wrong_names_and_addresses(beta):
    permission = beta.permission
    refused(lambda: permission.list_permissions(parent="x/y"), "parent", "tunedModels")
    refused(lambda: permission.get_permission(name="corpora/a"), "name")
    refused(
        lambda: permission.transfer_ownership(
            request={"name": "corpora/c", "email_address": "b@example.org"}
        ),
        "tunedModels/{tuned_model}",
    )
    refused(
        lambda: permission.transfer_ownership(
            request={"name": "tunedModels/m", "email_address": "b"}
        ),
        "email_address",
    )
