import pytest

from toulmin.server.connection import client_of
from toulmin.server.open_connections import Admission, OpenConnections


class One:
    """A connection as far as it is counted."""

    def __init__(self, active_at=0.0, *, is_working=False, is_new=False):
        self.active_at = active_at
        self.is_new = is_new
        self.is_working = is_working
        self.is_aborted = False

    def abort(self):
        self.is_aborted = True


class Transport:
    def __init__(self, peer):
        self._peer = peer

    def get_extra_info(self, name):
        assert name == "peername"
        return self._peer


@pytest.mark.parametrize(
    ("peer", "client"),
    [
        (("192.0.2.7", 5000), "192.0.2.7"),
        (("2001:db8:1:2:3:4:5:6", 5000, 0, 0), "2001:db8:1:2::/64"),
        (("2001:db8:1:2::", 5000, 0, 0), "2001:db8:1:2::/64"),
        (("fe80::1%eth0", 5000, 0, 2), "fe80::/64"),
        (("::ffff:192.0.2.7", 5000, 0, 0), "192.0.2.7"),
        (("::1", 5000, 0, 0), "::1"),
        ("", ""),
        (None, ""),
    ],
)
def test_what_a_connection_counts_for(peer, client):
    assert client_of(Transport(peer)) == client


def test_one_address_gives_way_to_itself_and_others_are_left_alone():
    counted = OpenConnections(most=10, most_of_one=2)
    other = One(active_at=1)
    older, newer = One(active_at=3), One(active_at=4)
    assert counted.admit(other, "b") is Admission.ADMITTED
    for one in (older, newer, One(active_at=5)):
        assert counted.admit(one, "a") is Admission.ADMITTED
    assert older.is_aborted
    assert not newer.is_aborted
    assert not other.is_aborted
    assert len(counted) == 3


def test_an_address_with_all_at_work_is_refused_and_another_is_not():
    counted = OpenConnections(most=10, most_of_one=2)
    for _ in range(2):
        assert counted.admit(One(is_working=True), "a") is Admission.ADMITTED
    refused = One()
    assert counted.admit(refused, "a") is Admission.REFUSED
    assert counted.admit(One(), "a") is Admission.REFUSED, "a refused one is no room"
    assert counted.admit(One(), "b") is Admission.ADMITTED
    assert not refused.is_aborted
    assert len(counted) == 5


def test_a_place_is_free_again_when_its_connection_is_gone():
    counted = OpenConnections(most=10, most_of_one=1)
    first = One(is_working=True)
    counted.admit(first, "a")
    taken = One(is_working=True)
    counted.replace(first, taken)
    assert counted.admit(One(), "a") is Admission.REFUSED
    counted.forget(taken)
    counted.forget(taken)
    assert counted.admit(One(), "a") is Admission.ADMITTED


def test_those_that_are_refused_are_few_and_the_oldest_is_closed():
    counted = OpenConnections(most=10, most_of_one=1)
    counted.admit(One(is_working=True), "a")
    refused = [One() for _ in range(300)]
    for one in refused:
        counted.admit(one, "a")
    left = [one for one in refused if not one.is_aborted]
    assert left == refused[-256:]
    successor = One()
    counted.replace(left[0], successor)
    assert successor in counted.all()
    counted.forget(successor)
    assert len(counted) == 256


def test_no_limit_for_one_address_leaves_that_for_all():
    counted = OpenConnections(most=2, most_of_one=0)
    for _ in range(2):
        assert counted.admit(One(is_working=True), "a") is Admission.ADMITTED
    assert counted.admit(One(), "a") is Admission.CLOSED


def test_without_an_address_only_the_limit_of_all_holds():
    counted = OpenConnections(most=3, most_of_one=1)
    for _ in range(3):
        assert counted.admit(One(is_working=True), "") is Admission.ADMITTED
    assert counted.admit(One(), "") is Admission.CLOSED


def test_a_crowd_that_comes_at_once_does_not_close_its_own_first():
    counted = OpenConnections(most=3, most_of_one=2)
    first = [One(is_new=True) for _ in range(2)]
    for one in first:
        assert counted.admit(one, "a") is Admission.ADMITTED
    assert counted.admit(One(is_new=True), "a") is Admission.REFUSED
    assert not any(one.is_aborted for one in first)
    first[1].is_new = False
    assert counted.admit(One(is_new=True), "a") is Admission.ADMITTED
    assert first[1].is_aborted
    assert counted.admit(One(is_new=True), "b") is Admission.ADMITTED
    assert counted.admit(One(is_new=True), "b") is Admission.ADMITTED, "among all, new ones go, too"
    assert first[0].is_aborted
