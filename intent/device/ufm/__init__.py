"""UFM Enterprise over REST: session, jobs, partitions, the actor for subnet managers behind UFM."""
