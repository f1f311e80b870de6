"""NMX-Manager over REST: session, operations, NVLink partitions, the actor for NVLink domains."""
