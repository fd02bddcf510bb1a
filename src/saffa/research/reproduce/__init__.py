"""The paper's tables and figures, one target each, from runs that are kept (`saffa reproduce`)."""
