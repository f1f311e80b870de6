"""All rules, in the order of their codes."""

from __future__ import annotations

from intent.lint.rule import Rule
from intent.lint.rules import (
    adaptive_routing,
    asn_overlap,
    attach_matches_nothing,
    bfd_too_fast,
    confirm_too_short,
    duplicate_address,
    host_names,
    interface_address,
    management_network,
    name_clash,
    name_template,
    nic_attached_twice,
    nothing_to_build,
    outside_pool,
    oversubscribed,
    plane_crossing,
    port_rules,
    port_twice,
    prefix_overlap,
    qos_reference,
    qos_shadow,
    qos_unused,
    rail_crossing,
    release_known,
    release_too_old,
    replace_without_users,
    reserved_outside,
    selector_matches_nothing,
    uneven_uplinks,
    unused_node,
)


def rules() -> tuple[Rule, ...]:
    """Every rule."""
    modules = (
        nothing_to_build,
        host_names,
        qos_reference,
        qos_shadow,
        qos_unused,
        name_clash,
        nic_attached_twice,
        attach_matches_nothing,
        unused_node,
        prefix_overlap,
        asn_overlap,
        reserved_outside,
        management_network,
        replace_without_users,
        release_known,
        bfd_too_fast,
        name_template,
        confirm_too_short,
        duplicate_address,
        selector_matches_nothing,
        interface_address,
        adaptive_routing,
        uneven_uplinks,
        plane_crossing,
        rail_crossing,
        port_twice,
        port_rules,
        oversubscribed,
        outside_pool,
        release_too_old,
    )
    return tuple(module.rule() for module in modules)
