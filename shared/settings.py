"""Every setting of every function, read once a sandbox from the environment.

A secret is given either by value (one machine, tests) or by the ARN of a Secrets Manager secret
(`…_SECRET_ARN`, the cloud); `shared.secrets` resolves the second. Durations are in seconds unless the name
says otherwise.
"""

from functools import lru_cache
from pathlib import Path

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    """Typed view of the environment. Names are the upper-case of the fields.

    Raises `pydantic.ValidationError`, naming the variable, when a value cannot be read.
    """

    model_config = SettingsConfigDict(env_ignore_empty=True, extra="ignore", hide_input_in_errors=True)

    # PostgreSQL
    database_url: SecretStr | None = None
    database_secret_arn: str | None = None
    # Past a transaction-pooling proxy, for what needs sessions of its own: migrating, listening. As above when not given.
    database_direct_url: SecretStr | None = None
    database_direct_secret_arn: str | None = None
    db_statement_cache_size: int = Field(100, ge=0)  # 0 behind a transaction-pooling proxy
    db_connect_timeout: float = Field(5.0, gt=0)
    db_command_timeout: float = Field(30.0, gt=0)
    # A transaction whose client says nothing for so long is ended by the server: a frozen sandbox must not keep its locks.
    db_idle_transaction_seconds: float = Field(30.0, ge=0.001)

    # Queue
    queue_notify: bool = False
    function_prefix: str = ""
    claim_limit: int = Field(100, ge=1, le=1000)
    claim_lease_seconds: float = Field(180.0, gt=0)  # 60 s event age + invoke + cold start, with room
    job_lease_seconds: float | None = Field(None, gt=0)  # overrides every type's lease; tests
    job_deadline_seconds: float | None = Field(None, gt=0)  # overrides every type's deadline; tests
    claimer_poll_seconds: float = Field(5.0, ge=0)
    claimer_invoke_concurrency: int = Field(16, ge=1)
    reaper_page: int = Field(200, ge=1)
    job_retention_days: float = Field(30.0, gt=0)
    queue_stalled_seconds: float = Field(900.0, gt=0)

    # Alerts
    alert_dedupe_minutes: float = Field(60.0, gt=0)
    teams_webhook_url: SecretStr | None = None
    teams_webhook_secret_arn: str | None = None
    alert_locale: str = Field("ko", pattern="^(ko|en)$")
    alert_timezone: str = "Asia/Seoul"  # in which alerts tell times; a name PostgreSQL knows
    console_url: str = "http://127.0.0.1:8080"  # where an alert's link to its job leads

    # HTTP API
    jwt_secret: SecretStr | None = None
    jwt_secret_arn: str | None = None
    jwt_issuer: str = "web4ai"
    token_minutes: float = Field(720.0, gt=0)

    # Places, photos, pages
    media_dir: Path | None = None
    media_bucket: str | None = None
    site_dir: Path | None = None
    site_bucket: str | None = None
    site_origin: str = "http://127.0.0.1:8081"

    # Collecting
    crawl_allow: str = (
        ""  # "host:port" pairs, comma separated, that the guard lets through; emulator and tests only
    )
    crawl_contact: str = "https://web4ai.example/bot"
    recollect_days: float = Field(
        30.0, ge=0
    )  # a published place is collected again after so long; 0: never by itself
    # A channel that fails for so many places, and for most of those asked, within the window is told of once.
    channel_alert_places: int = Field(5, ge=1)
    channel_alert_minutes: float = Field(15.0, gt=0)

    # Channels: each is asked when its key is given, OpenStreetMap when its servers are named
    channel_timeout: float = Field(10.0, gt=0)  # seconds in all, for one call of a vendor
    channel_keys_secret_arn: str | None = (
        None  # one JSON object: kakao, naver_id, naver_secret, tourapi, nts, ...
    )
    kakao_api_key: SecretStr | None = None
    kakao_base_url: str = "https://dapi.kakao.com"
    naver_client_id: SecretStr | None = None
    naver_client_secret: SecretStr | None = None
    naver_api: str = Field(
        "hub", pattern="^(hub|developers)$"
    )  # which of Naver's two services issued the key
    naver_hub_base_url: str = "https://naverapihub.apigw.ntruss.com"
    naver_developers_base_url: str = "https://openapi.naver.com"
    tourapi_key: SecretStr | None = None
    tourapi_base_url: str = "https://apis.data.go.kr/B551011/KorService2"
    nts_key: SecretStr | None = None
    nts_base_url: str = "https://api.odcloud.kr/api/nts-businessman/v1"
    google_places_api_key: SecretStr | None = None
    google_places_base_url: str = "https://places.googleapis.com"
    nominatim_base_url: str | None = None  # https://nominatim.openstreetmap.org
    overpass_base_url: str | None = None  # https://overpass-api.de

    # AI providers
    gemini_api_key: SecretStr | None = None
    gemini_secret_arn: str | None = None
    gemini_base_url: str = "https://generativelanguage.googleapis.com"
    gemini_vision_model: str = "gemini-3.5-flash-lite"
    gemini_copy_model: str = "gemini-3.8-flash"
    gemini_timeout: float = Field(60.0, gt=0)  # seconds in all, for one call
    vision_ai_wait_seconds: float = Field(20.0, ge=0)
    copy_ai_wait_seconds: float = Field(20.0, ge=0)
    perplexity_api_key: SecretStr | None = None
    perplexity_secret_arn: str | None = None
    perplexity_base_url: str = "https://api.perplexity.ai"
    perplexity_model: str = "perplexity/sonar"
    ai_check_timeout: float = Field(90.0, gt=0)
    ai_monthly_budget_usd: float | None = Field(None, ge=0)

    # Quota of AI providers where the table quota_limits says nothing of the model: what the lowest tiers are known to have had.
    # Without a limit for the day the vendor's own refusal closes the model until its day is over.
    quota_requests_minute: int = Field(10, ge=1)
    quota_tokens_minute: int | None = Field(250_000, ge=1)
    quota_requests_day: int | None = Field(None, ge=1)
    quota_tokens_day: int | None = Field(None, ge=1)
    quota_reserved_share: float = Field(0.3, ge=0, lt=1)  # of each limit, for interactive work alone
    quota_window_seconds: float = Field(60.0, ge=0.06)  # the vendors' minute; tests
    quota_margin_seconds: float = Field(
        5.0, ge=0
    )  # within which a call marked as sent has reached the vendor
    quota_send_seconds: float = Field(10.0, gt=0)  # a reservation not sent by then is given back


@lru_cache(maxsize=1)
def settings() -> Settings:
    """The sandbox's settings; tests that change the environment call `settings.cache_clear()`."""
    return Settings()
