"""Quotas of keys and projects, on their own and over both transports."""

import math

import grpc
import pytest
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from tests.patience import PATIENCE_S
from tests.server.conftest import check
from toulmin.callers import Caller, Role
from toulmin.errors import QuotaExceeded
from toulmin.server.quotas import REQUESTS, TOKENS, Quotas

ANN = Caller("key:ann", Role.VIEWER, frozenset({"p"}))
BOB = Caller("key:bob", Role.VIEWER, frozenset({"p"}))
GRPC_CHECK = "/google.cloud.discoveryengine.v1.GroundedGenerationService/CheckGrounding"


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


def make(requests=(0, 0), tokens=(0, 0)):
    clock = Clock()
    return Quotas({REQUESTS: requests, TOKENS: tokens}, clock), clock


def passes(quotas, caller=ANN, projects=("p",), metric=REQUESTS, amount=1):
    try:
        quotas.charge(caller, projects, metric, amount)
    except QuotaExceeded:
        return False
    return True


def test_a_key_gets_its_minutes_worth_and_then_an_even_flow():
    quotas, clock = make(requests=(6, 0))
    assert [passes(quotas) for _ in range(7)] == [True] * 6 + [False]
    assert passes(quotas, BOB)
    clock.now += 10  # a sixth of a minute
    assert [passes(quotas) for _ in range(2)] == [True, False]


def test_the_error_says_which_quota_and_when_to_come_again():
    quotas, clock = make(requests=(0, 2))
    assert passes(quotas)
    assert passes(quotas, BOB)
    clock.now += 10
    with pytest.raises(QuotaExceeded) as caught:
        quotas.charge(ANN, ["p"], REQUESTS, 1)
    assert caught.value.retry_s == pytest.approx(20)
    quota = caught.value.quota
    assert (quota.id, quota.metric) == ("RequestsPerMinutePerProject", "requests")
    assert (quota.subject, quota.value) == ("project:p", 2)
    clock.now += math.ceil(caught.value.retry_s)
    assert passes(quotas)


def test_what_is_refused_costs_nothing():
    quotas, _ = make(requests=(5, 1))
    assert passes(quotas)
    for _ in range(10):
        assert not passes(quotas)  # the project has no room; the key keeps its four
    assert [passes(quotas, projects=["q"]), passes(quotas, projects=["r"])] == [True, True]


def test_one_text_above_a_minutes_worth_passes_and_is_paid_back():
    quotas, clock = make(tokens=(1000, 0))
    assert passes(quotas, metric=TOKENS, amount=3000)
    clock.now += 120
    assert not passes(quotas, metric=TOKENS, amount=1)
    clock.now += 1
    assert passes(quotas, metric=TOKENS, amount=1)


def test_without_limits_nothing_is_counted():
    quotas, _ = make()
    assert all(passes(quotas) for _ in range(1000))
    assert not quotas._buckets


def test_many_names_do_not_fill_the_memory():
    quotas, clock = make(requests=(0, 5))
    for number in range(10_000):
        assert passes(quotas, projects=[f"p{number}"])
    clock.now += 61
    assert passes(quotas, projects=["another"])
    assert len(quotas._buckets) == 1


def test_a_used_up_quota_is_sent_as_google_sends_it(serve):
    server = serve(api_keys="first-key,second-key", key_requests_per_minute=2)
    headers = {"x-goog-api-key": "first-key"}
    for _ in range(2):
        assert check(server, "hello", headers=headers).status == 200
    reply = check(server, "hello", headers=headers)
    assert (reply.status, reply.error["status"]) == (429, "RESOURCE_EXHAUSTED")
    assert 1 <= int(reply.headers["retry-after"]) <= 30
    info, failure, retry = reply.error["details"]
    assert info["reason"] == "RATE_LIMIT_EXCEEDED"
    assert info["metadata"] == {
        "consumer": "key:setting:1",
        "quota_limit": "RequestsPerMinutePerKey",
        "quota_limit_value": "2",
        "quota_metric": "requests",
    }
    assert failure["@type"] == "type.googleapis.com/google.rpc.QuotaFailure"
    (violation,) = failure["violations"]
    assert violation["quotaId"] == "RequestsPerMinutePerKey"
    assert violation["quotaDimensions"] == {"key": "setting:1"}
    assert violation["quotaValue"] == "2"
    assert retry["@type"] == "type.googleapis.com/google.rpc.RetryInfo"
    assert 0 < float(retry["retryDelay"].removesuffix("s")) <= 30
    assert check(server, "hello", headers={"x-goog-api-key": "second-key"}).status == 200


def test_grpc_sends_the_same(serve):
    server = serve(key_requests_per_minute=1)
    with grpc.insecure_channel(f"127.0.0.1:{server.port}") as channel:
        call = channel.unary_unary(GRPC_CHECK)
        call(b"", timeout=PATIENCE_S)
        with pytest.raises(grpc.RpcError) as caught:
            call(b"", timeout=PATIENCE_S)
    assert caught.value.code() == grpc.StatusCode.RESOURCE_EXHAUSTED
    _, failure, retry = rpc_status.from_call(caught.value).details
    found = error_details_pb2.QuotaFailure.FromString(failure.value)
    assert found.violations[0].subject == "key:local"
    assert 0 < error_details_pb2.RetryInfo.FromString(retry.value).retry_delay.seconds <= 60


def test_a_project_has_a_quota_of_all_its_keys(serve):
    server = serve(api_keys="first-key,second-key", project_requests_per_minute=1)
    assert check(server, "hello", headers={"x-goog-api-key": "first-key"}).status == 200
    reply = check(server, "hello", headers={"x-goog-api-key": "second-key"})
    assert reply.error["details"][0]["metadata"]["consumer"] == "project:p"
