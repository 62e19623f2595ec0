"""Speed, start and memory, each beside the bare engine or a trivial server in the same run."""
