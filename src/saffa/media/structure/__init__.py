"""The bytes of containers, looked at without libav, which steps over damage in silence."""
