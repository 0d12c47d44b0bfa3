"""Keys and categories have names that readers know."""

import pytest

from shared.places.keys import FACT_KEYS
from shared.places.labels import category_label, fact_label
from shared.places.normalise.category import SCHEMA_TYPES


@pytest.mark.parametrize("category", sorted(SCHEMA_TYPES))
def test_every_category_has_a_korean_and_an_english_name(category: str) -> None:
    korean, english = category_label(category, "ko"), category_label(category, "en")
    assert category == "LocalBusiness" or korean != "업체"
    assert any("가" <= c <= "힣" for c in korean)
    assert english[0].isupper()
    assert "Or" not in english.split()


@pytest.mark.parametrize("key", sorted(FACT_KEYS))
def test_every_key_of_the_contract_has_a_korean_name(key: str) -> None:
    assert any("가" <= c <= "힣" for c in fact_label(key, "ko"))


def test_other_keys_are_their_own_words() -> None:
    assert fact_label("pet_policy", "en") == "Pet policy"
    assert fact_label("pet_policy", "ko") == "pet policy"
    assert category_label("HairSalon", "en") == "Hair salon"
