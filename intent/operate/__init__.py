"""What a command does with a site: who configures each kind of device, and who judges it, on the wire or in a lab."""
