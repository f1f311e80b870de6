"""NVUE over REST: session, revision states, state readers, the actor for Cumulus switches."""
