"""Shared by all tests: where the real data is, when it is there."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings

from saffa.pipeline.worker_process import KEPT

REPOSITORY = Path(__file__).resolve().parent.parent

# No test depends on the machine's speed or on what else it does.
settings.register_profile("saffa", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile(  # `python -m tests.mutation` runs the tests of a file many times
    "mutation",
    settings.get_profile("saffa"),
    max_examples=30,
    phases=(Phase.explicit, Phase.generate),
    derandomize=True,
    database=None,
)
settings.load_profile("saffa")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data beside the repository; tests that need it are skipped without it."""
    folder = REPOSITORY.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the real data (../shared/data) is not on this machine")
    return folder


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Tests keep their results apart from those of the person who runs them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SAFFA_CACHE", str(tmp_path_factory.mktemp("saffa-cache")))
        yield


@pytest.fixture(scope="session", autouse=True)
def signals_are_heard() -> None:
    """Tests that interrupt a command also hold where the suite runs in the background.

    `nohup` and a shell's `&` start programs that ignore interrupts and hang-ups, which all that they start inherits.
    """
    for name, usual in (("SIGINT", signal.default_int_handler), ("SIGHUP", signal.SIG_DFL)):
        kind = getattr(signal, name, None)
        if kind is not None and signal.getsignal(kind) is signal.SIG_IGN:
            signal.signal(kind, usual)


@pytest.fixture
def one_process() -> Iterator[None]:
    """Comparing and planning stay in this process, as in one that works for many videos.

    Starting another takes a second; that it is started and what it does is tested elsewhere.
    """
    before = KEPT.set({})
    yield
    KEPT.reset(before)
