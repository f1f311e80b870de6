"""Topology files of InfiniBand fabrics: ibnetdiscover, NDT, topoconfig, node name map."""
