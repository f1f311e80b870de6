"""Files of UFM of which single settings are ours."""
