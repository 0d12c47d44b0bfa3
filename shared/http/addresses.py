"""Which IP addresses the public internet has, and which lead somewhere else."""

import ipaddress

_IPv4 = ipaddress.IPv4Address
_IPv6 = ipaddress.IPv6Address

# Beyond what `is_global` denies on every supported Python: it lets multicast, 6to4 relays and others through.
_DENIED_V4 = [
    ipaddress.IPv4Network(network)
    for network in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",  # carriers' NAT, and some clouds' metadata
        "127.0.0.0/8",
        "168.63.129.16/32",  # a cloud's own services under a public number
        "169.254.0.0/16",  # link local, metadata and credentials of clouds
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.31.196.0/24",
        "192.52.193.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "192.175.48.0/24",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",
    )
]
_GLOBAL_UNICAST = ipaddress.IPv6Network("2000::/3")
_DENIED_V6 = [
    ipaddress.IPv6Network(network)
    for network in (
        "2001::/23",  # protocol assignments: Teredo, ORCHID, benchmarking
        "2001:db8::/32",
        "2002::/16",  # 6to4: an IPv4 address, often a private one, in disguise
        "2620:4f:8000::/48",
        "3fff::/20",
    )
]
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


def is_public(address: str) -> bool:
    """Whether the address is one of the public internet. False for what is no address, and for a scoped one.

    IPv4 inside IPv6 (mapped, NAT64) counts as the IPv4 address it leads to; 6to4, Teredo and IPv4-compatible
    forms are never public.
    """
    if "%" in address:
        return False
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return False
    if isinstance(parsed, _IPv6):
        return _is_public_v6(parsed)
    return _is_public_v4(parsed)


def _is_public_v4(address: _IPv4) -> bool:
    return address.is_global and not any(address in network for network in _DENIED_V4)


def _is_public_v6(address: _IPv6) -> bool:
    if address.ipv4_mapped is not None:
        return _is_public_v4(address.ipv4_mapped)
    if address in _NAT64:
        return _is_public_v4(_IPv4(int(address) & 0xFFFFFFFF))
    if address not in _GLOBAL_UNICAST or not address.is_global:
        return False
    return not any(address in network for network in _DENIED_V6)
