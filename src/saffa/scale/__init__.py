"""Many videos: which jobs there are, running them in processes of their own, and what became of each."""
