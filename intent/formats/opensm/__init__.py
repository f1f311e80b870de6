"""Files and logs of OpenSM."""
