import hashlib
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select

from toulmin.callers import Role
from toulmin.errors import FailedPrecondition, InvalidArgument, NotFound
from toulmin.stores.records.tables import API_KEYS

LATER = datetime.now(UTC) + timedelta(days=1)


def create(store, **changes):
    values = {"display_name": "search page", "role": Role.VIEWER, "projects": ["shop"], **changes}
    with store.write() as transaction:
        return transaction.api_keys.create(**values)


def test_a_key_is_kept_without_itself(store):
    stored, key = create(store, projects=["b", "a", "b"], expire_time=LATER)
    assert key.startswith(f"toulmin_{stored.id}_")
    assert len(key) > 43  # 32 random bytes in base64
    assert stored.digest == hashlib.sha256(key.encode()).digest()
    assert stored.projects == {"a", "b"}
    with store.read() as transaction:
        assert transaction.api_keys.list() == [stored]
        row = transaction._connection.execute(select(API_KEYS)).one()
    assert key not in repr(row)
    assert key.removeprefix(f"toulmin_{stored.id}_") not in repr(row)


def test_two_keys_are_never_the_same(store):
    made = [create(store) for _ in range(20)]
    assert len({key for _, key in made}) == 20
    assert len({stored.id for stored, _ in made}) == 20


def test_a_key_expires_and_is_revoked_for_good(store):
    stored, _ = create(store, expire_time=LATER)
    assert stored.state(LATER - timedelta(seconds=1)) == "active"
    assert stored.state(LATER) == "expired"
    with store.write() as transaction:
        revoked = transaction.api_keys.revoke(stored.id)
    assert revoked.state(LATER) == "revoked"
    with store.write() as transaction, pytest.raises(FailedPrecondition, match="was revoked"):
        transaction.api_keys.revoke(stored.id)


def test_a_key_for_all_projects_says_so(store):
    stored, _ = create(store, role=Role.ADMIN, projects=None)
    assert stored.projects is None
    with store.read() as transaction:
        assert transaction.api_keys.get(stored.id) == stored


@pytest.mark.parametrize(
    "changes",
    [
        {"display_name": ""},
        {"display_name": "x" * 129},
        {"display_name": "nul\0"},
        {"projects": []},
        {"projects": ["shop/x"]},
        {"projects": ["a b"]},
        {"projects": [""]},
        {"expire_time": datetime(2020, 1, 1, tzinfo=UTC)},
    ],
)
def test_what_cannot_be_a_key_is_refused(store, changes):
    with pytest.raises(InvalidArgument):
        create(store, **changes)


def test_an_unknown_key_is_not_found(store):
    with store.write() as transaction, pytest.raises(NotFound):
        transaction.api_keys.revoke("nobody")
