"""What an owner gives to begin with: one JSON object, checked whole, every error named.

A value the owner gives is confirmed (`shared.places.confirmation`); here it is only brought into the form that facts
have.
"""

import re
from functools import partial
from typing import Annotated, Any, Self
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    StrictBool,
    StringConstraints,
    ValidationError,
    ValidationInfo,
    model_validator,
)
from pydantic_core import InitErrorDetails, PydanticCustomError

from shared.field_errors import FieldError, from_pydantic, unstorable
from shared.places.confirmation import OWNER
from shared.places.keys import FACT_KEYS, KEY_PATTERN, KEY_RULE, normalise_value
from shared.places.models import Locale, NewFact
from shared.places.normalise import address_key, is_shared_number, normalise_address

URL_CHARACTERS = 2_000
PHOTOS = 60
FACTS = 100
ALIASES = 20

Line = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200, strict=True)]
Degrees = Annotated[float, Field(strict=True)]


class IntakeError(ValueError):
    """The intake breaks rules; `errors` has every one."""

    def __init__(self, errors: list[FieldError]) -> None:
        super().__init__("; ".join(f"{error.field}: {error.message}" for error in errors))
        self.errors = errors


def web_address(text: str) -> str:
    """The address, if it is an http or https URL with a host and without a user. Raises `PydanticCustomError`."""
    if len(text) > URL_CHARACTERS:
        raise PydanticCustomError("too_long", f"An address has at most {URL_CHARACTERS} characters")
    try:
        parts = urlsplit(text)
        port_readable = parts.port is None or parts.port > 0
    except ValueError:
        parts, port_readable = None, False
    if parts is None or not port_readable or parts.scheme not in ("http", "https") or not parts.hostname:
        raise PydanticCustomError("url_http", "Must be an http or https address with a host")
    if parts.username is not None or re.search(r"[\s\\<>\"]", text):
        raise PydanticCustomError("url_plain", "An address must have no user name, space, quote or backslash")
    return text


def _normal(key: str, value: Any) -> Any:
    """`normalise_value`, its refusal as an error of the rule named after the key."""
    if not KEY_PATTERN.fullmatch(key):
        raise PydanticCustomError("fact_key", "{reason}", {"reason": KEY_RULE.capitalize()})
    try:
        return normalise_value(key, value)
    except ValueError as error:
        rule = f"{key}_unreadable" if key in FACT_KEYS else "free_text"
        raise PydanticCustomError(rule, "{reason}", {"reason": str(error)}) from None


def _of(key: str) -> AfterValidator:
    """The field takes what a fact of this key takes, in its normal form."""
    return AfterValidator(partial(_normal, key))


def _address(text: str) -> str:
    try:
        normalise_address(text)
    except ValueError as error:
        raise PydanticCustomError("address_unreadable", "{reason}", {"reason": str(error)}) from None
    return text


def _photo(text: str, info: ValidationInfo) -> str:
    """An address; or, where the caller reads files (`allow_paths`), the path of one."""
    is_path = "://" not in text and 0 < len(text) <= URL_CHARACTERS
    return text if is_path and (info.context or {}).get("allow_paths") else web_address(text)


class Intake(BaseModel):
    """A place as its owner describes it. Unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Annotated[Line, _of("name")]
    category: Annotated[Line, _of("category")] | None = Field(
        None, description="schema.org LocalBusiness subtype, or a Korean category such as 한식당"
    )
    locale: Locale = "ko"
    address: Annotated[Line, AfterValidator(_address)] | None = Field(None, description="Road or lot address")
    phone: Annotated[Line, _of("phone")] | None = None
    website: Annotated[str, Field(strict=True), _of("website")] | None = None
    business_number: Annotated[Line, _of("business_number")] | None = None
    region_code: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,32}$", strict=True)] | None = (
        None
    )
    latitude: Annotated[Degrees, Field(ge=-90, le=90)] | None = Field(None, description="Degrees, WGS84")
    longitude: Annotated[Degrees, Field(ge=-180, le=180)] | None = Field(None, description="Degrees, WGS84")
    aliases: list[Line] = Field([], max_length=ALIASES)
    accept_website: StrictBool = Field(
        True, description="Whether the own website's structured markup may be published without asking"
    )
    facts: dict[str, Any] = Field({}, description="Further facts by key")
    photos: list[Annotated[str, Field(strict=True), AfterValidator(_photo)]] = Field([], max_length=PHOTOS)

    @model_validator(mode="wrap")
    @classmethod
    def _every_error_at_once(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        """The fields' own rules, the facts' and those that span fields; all that are broken are told together."""
        found: list[InitErrorDetails] = []
        intake: Self | None = None
        try:
            intake = handler(data)
        except ValidationError as error:
            found = [_detail(e["loc"], e["type"], e["msg"]) for e in error.errors()]
        for broken in _across(data) if intake is None else _gather(intake)[1]:
            found.append(_detail(tuple(broken.field.split(".")), broken.rule, broken.message))
        if intake is None or found:
            raise ValidationError.from_exception_data(cls.__name__, found)
        return intake


def _detail(loc: tuple[int | str, ...], rule: str, message: str) -> InitErrorDetails:
    return InitErrorDetails(
        type=PydanticCustomError(rule, "{message}", {"message": message}), loc=loc, input=None
    )


def _across(data: Any) -> list[FieldError]:
    """What can be told of an intake whose fields break rules of their own."""
    if not isinstance(data, dict):
        return []
    facts = data.get("facts")
    errors = _fact_values(facts)[1] if isinstance(facts, dict) else []
    return errors + _half_a_point(data.get("latitude"), data.get("longitude"))


def _half_a_point(latitude: Any, longitude: Any) -> list[FieldError]:
    if (latitude is None) == (longitude is None):
        return []
    missing = "latitude" if latitude is None else "longitude"
    message = "Latitude and longitude come together or not at all"
    return [FieldError(field=missing, rule="point_incomplete", message=message)]


def parse_intake(obj: Any, *, allow_paths: bool = False) -> Intake:
    """The intake in normal form. Raises `IntakeError` with every error, each naming field and rule.

    `allow_paths` lets `photos` name files: for the command line alone, which uploads them.
    """
    found = unstorable(obj)
    if found:
        raise IntakeError(found)
    try:
        return Intake.model_validate(obj, context={"allow_paths": allow_paths})
    except ValidationError as error:
        raise IntakeError(from_pydantic(error.errors())) from None


def intake_facts(intake: Intake) -> list[NewFact]:
    """The owner's statements in normal form, one a key."""
    return [NewFact(key=key, value=value, channel=OWNER) for key, value in _gather(intake)[0].items()]


def owner_facts(facts: dict[str, Any]) -> list[NewFact]:
    """An owner's corrections `{key: value}` as facts. Raises `IntakeError`, its fields under `facts.`."""
    values, errors = _fact_values(facts)
    if errors:
        raise IntakeError(errors)
    return [NewFact(key=key, value=value, channel=OWNER) for key, value in values.items()]


def identity_keys(intake: Intake) -> list[str]:
    """What tells that a place was posted before, strongest first: the name with the building, the number, the site.

    A number that branches share tells nothing by itself.
    """
    name = re.sub(r"[\W_]+", "", intake.name).casefold()
    values, _ = _gather(intake)
    keys = []
    for address in (values.get("road_address"), values.get("lot_address")):
        if address is not None:
            building = address_key(address)
            keys.append(f"{name}|a|{'|'.join(building) if building else address}")
    phone = values.get("phone") or ""
    if phone and not is_shared_number(phone):
        keys.append(f"{name}|p|{phone}")
    if values.get("business_number"):
        keys.append(f"{name}|b|{values['business_number']}")
    if values.get("website"):
        keys.append(f"{name}|w|{values['website']}")
    return keys or [f"{name}|{phone}|{intake.region_code or ''}"]


def _gather(intake: Intake) -> tuple[dict[str, Any], list[FieldError]]:
    """Every fact of the intake by key; a key given twice with different values is an error."""
    values, errors = _fact_values(intake.facts)
    errors += _half_a_point(intake.latitude, intake.longitude)
    for field, key, value in _own_fields(intake, errors):
        if key in values and values[key] != value:
            message = f"{field} and facts.{key} say different things"
            errors.append(FieldError(field=f"facts.{key}", rule="given_twice", message=message))
        values[key] = value
    return values, errors


def _own_fields(intake: Intake, errors: list[FieldError]) -> list[tuple[str, str, Any]]:
    own: list[tuple[str, str, Any]] = [("name", "name", intake.name)]
    for field in ("category", "phone", "website", "business_number"):
        if getattr(intake, field) is not None:
            own.append((field, field, getattr(intake, field)))
    if intake.address is not None:
        address = normalise_address(intake.address)
        own.append(("address", f"{address.kind}_address", address.text))
    if intake.latitude is not None and intake.longitude is not None:
        try:
            point = _normal("geo", {"lat": intake.latitude, "lon": intake.longitude})
        except PydanticCustomError as error:
            errors.append(FieldError(field="latitude", rule=error.type, message=error.message()))
        else:
            own.append(("latitude", "geo", point))
    return own


def _fact_values(facts: dict[str, Any]) -> tuple[dict[str, Any], list[FieldError]]:
    values: dict[str, Any] = {}
    errors: list[FieldError] = []
    if len(facts) > FACTS:
        return {}, [FieldError(field="facts", rule="too_many", message=f"At most {FACTS} facts at once")]
    for key, value in facts.items():
        try:
            values[key] = _normal(key, value)
        except PydanticCustomError as error:
            errors.append(FieldError(field=f"facts.{key}", rule=error.type, message=error.message()))
    return values, errors
