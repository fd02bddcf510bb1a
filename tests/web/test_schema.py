"""Whatever the description of the server allows is asked, and much that it does not: no question brings it down."""

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable

from tests.web.serving import Server

schemathesis = pytest.importorskip("schemathesis")


def ask_everything(server: Server, project: str, questions: int) -> list[str]:
    """Ask so many questions of each kind; the kinds that were asked."""
    token = {"authorization": f"Bearer {server.token}"}
    schema = schemathesis.openapi.from_url(f"{server.url}/openapi.json", headers=token)
    modes = schemathesis.GenerationMode
    asked = []
    for found in schema.get_all_operations():
        operation = found.ok()
        if operation.path.endswith("/events"):  # these have no end
            continue
        asked.append(f"{operation.method} {operation.path}")
        for mode in (modes.POSITIVE, modes.NEGATIVE):

            @given(case=operation.as_strategy(generation_mode=mode))
            @settings(max_examples=questions, deadline=None, database=None, suppress_health_check=list(HealthCheck))
            def ask(case: Any) -> None:
                if "project" in (case.path_parameters or {}) and case.method != "DELETE":
                    case.path_parameters["project"] = project
                answer = case.call(headers=token, timeout=60)
                assert answer.status_code < 500 or answer.status_code in (503, 507), answer.text

            with suppress(Unsatisfiable):  # nothing can be wrong about a question without parts
                ask()
    for job in server.get("/jobs")["jobs"]:
        server.client.delete(f"/jobs/{job['id']}")
    return asked


def test_no_question_is_too_much(server: Server) -> None:
    asked = ask_everything(server, str(server.project()["id"]), 2)
    assert len(asked) >= 18
    assert server.get("/status")["version"]


@pytest.mark.slow
def test_no_question_of_many_is_too_much(server: Server) -> None:
    ask_everything(server, str(server.project()["id"]), 100)
    assert server.get("/status")["version"]
