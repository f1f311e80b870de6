"""A UFM of the lab: its REST API on a model of partitions."""
