"""OpenSM's partitions.conf: a strict reader, a writer, the P_Key tables a file means, and their difference."""
