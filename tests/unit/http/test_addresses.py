"""Only addresses of the public internet are public, in whatever dress they come."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.http.addresses import is_public

NOT_PUBLIC = [
    "0.0.0.0",
    "10.0.0.1",
    "100.64.0.1",
    "100.100.100.200",
    "127.0.0.1",
    "127.255.255.254",
    "168.63.129.16",
    "169.254.169.254",
    "169.254.170.2",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.8",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.1.1",
    "198.18.0.1",
    "198.51.100.7",
    "203.0.113.7",
    "224.0.0.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "::ffff:a9fe:a9fe",
    "64:ff9b::7f00:1",
    "64:ff9b::10.0.0.1",
    "64:ff9b:1::1",
    "100::1",
    "2001::1",
    "2001:0:7f00:1::",
    "2001:db8::1",
    "2002:7f00:1::",
    "2002:808:808::1",
    "3fff::1",
    "5f00::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fe80::1%eth0",
    "2606:4700::1111%eth0",
    "fec0::1",
    "ff02::1",
    "ff0e::1",
    "localhost",
    "",
    "0x7f000001",
    "127.1",
]
PUBLIC = [
    "8.8.8.8",
    "1.1.1.1",
    "211.249.220.24",
    "2606:4700:4700::1111",
    "2001:4860:4860::8888",
    "::ffff:8.8.8.8",
    "64:ff9b::808:808",
]


@pytest.mark.parametrize("address", NOT_PUBLIC)
def test_an_address_that_leads_elsewhere_is_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", PUBLIC)
def test_an_address_of_the_internet_is_public(address: str) -> None:
    assert is_public(address)


@settings(deadline=None)
@given(st.ip_addresses(v=4))
def test_a_mapped_address_is_what_it_maps(address: object) -> None:
    assert is_public(f"::ffff:{address}") == is_public(str(address))


@settings(deadline=None)
@given(st.text(max_size=40))
def test_no_text_makes_it_raise(text: str) -> None:
    assert is_public(text) in (True, False)
