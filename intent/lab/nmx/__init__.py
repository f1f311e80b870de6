"""An NMX-Manager of the lab: its REST API on a model of NVLink domains."""
