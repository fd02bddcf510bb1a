"""One thread for PyTorch: the agent's matrices are small, and the tests share the machine."""

import pytest
import torch


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)
