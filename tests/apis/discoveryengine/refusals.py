"""What a refused call says."""

from __future__ import annotations

import pytest
from google.api_core import exceptions


def violation_of(call):
    """Return field and description of the only fault that a call over gRPC is refused for."""
    with pytest.raises(exceptions.InvalidArgument) as refused:
        call()
    violations = [
        violation
        for detail in refused.value.details
        for violation in getattr(detail, "field_violations", ())
    ]
    assert len(violations) == 1, refused.value
    return violations[0].field, violations[0].description
