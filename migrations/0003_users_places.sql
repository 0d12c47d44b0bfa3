CREATE TABLE users (
    user_id       uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    email         text NOT NULL CHECK (email = lower(email) AND length(email) BETWEEN 3 AND 254),
    password_hash text NOT NULL,
    role          text NOT NULL DEFAULT 'member' CHECK (role IN ('member', 'admin')),
    locale        text NOT NULL DEFAULT 'ko' CHECK (locale IN ('ko', 'en')),
    token_version integer NOT NULL DEFAULT 1,
    created_at    timestamptz NOT NULL DEFAULT now(),
    disabled_at   timestamptz,
    UNIQUE (email)
);

CREATE TABLE places (
    place_id       uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    owner_id       uuid NOT NULL REFERENCES users,
    name           text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    locale         text NOT NULL DEFAULT 'ko' CHECK (locale IN ('ko', 'en')),
    region_code    text,
    aliases        text[] NOT NULL DEFAULT '{}',
    accept_website boolean NOT NULL DEFAULT true,
    identity_key   text NOT NULL,               -- normalised name with address or phone: the same place posted twice
    facts_version  bigint NOT NULL DEFAULT 1,   -- moves when a confirmed fact does
    page_version   bigint NOT NULL DEFAULT 1,   -- moves when anything a page shows does
    created_at     timestamptz NOT NULL DEFAULT now(),
    updated_at     timestamptz NOT NULL DEFAULT now(),
    deleted_at     timestamptz
);
CREATE UNIQUE INDEX places_one_identity ON places (owner_id, identity_key) WHERE deleted_at IS NULL;
CREATE INDEX places_of_owner ON places (owner_id, created_at) WHERE deleted_at IS NULL;

CREATE TABLE facts (
    fact_id      uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    place_id     uuid NOT NULL REFERENCES places,
    key          text NOT NULL CHECK (key ~ '^[a-z][a-z0-9_]{0,62}$'),
    value        jsonb,
    channel      text NOT NULL,          -- owner, website, kakao, …
    source_url   text,
    confidence   real NOT NULL DEFAULT 1 CHECK (confidence BETWEEN 0 AND 1),
    confirmed    boolean NOT NULL DEFAULT false,
    confirmed_by text CHECK (confirmed_by IN ('owner', 'website')),
    rejected_at  timestamptz,
    storable     boolean NOT NULL DEFAULT true,
    disagrees    boolean NOT NULL DEFAULT false,   -- a source whose values may not be kept says otherwise
    collected_at timestamptz NOT NULL DEFAULT now(),
    updated_at   timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT facts_kept_only_if_storable CHECK ((value IS NOT NULL) = storable AND (storable OR (disagrees AND NOT confirmed))),
    CONSTRAINT facts_confirmed_is_stated   CHECK (NOT confirmed OR (confirmed_by IS NOT NULL AND rejected_at IS NULL))
);
CREATE UNIQUE INDEX facts_one_confirmed_a_key ON facts (place_id, key) WHERE confirmed;
CREATE UNIQUE INDEX facts_one_row_a_statement ON facts (place_id, key, channel, md5(coalesce(value::text, '')));

CREATE TABLE photos (
    photo_id     uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    place_id     uuid NOT NULL REFERENCES places,
    channel      text NOT NULL,                 -- owner, website
    source_url   text,                          -- NULL for an upload
    media_key    text,                          -- where the bytes stand in MEDIA_DIR or MEDIA_BUCKET; NULL until fetched
    sha256       text,
    content_type text,
    width        integer CHECK (width > 0),
    height       integer CHECK (height > 0),
    bytes        bigint CHECK (bytes > 0),
    position     integer NOT NULL DEFAULT 0,    -- the owner's order
    confirmed    boolean NOT NULL DEFAULT false,-- may be published
    problem      text,                          -- why it could not be fetched or read
    measures     jsonb,                         -- {sharpness, brightness, dhash}
    vision       jsonb,                         -- {mode, kind, alt: {ko, en}, quality, hero_fit, flags}
    rank         integer,                       -- 0 is best; NULL until VISION ran
    duplicate_of uuid REFERENCES photos,
    created_at   timestamptz NOT NULL DEFAULT now(),
    updated_at   timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX photos_one_a_source ON photos (place_id, source_url) WHERE source_url IS NOT NULL;
CREATE UNIQUE INDEX photos_one_a_content ON photos (place_id, sha256) WHERE source_url IS NULL;
CREATE INDEX photos_of_place ON photos (place_id, rank, position);

CREATE TABLE copies (
    copy_id        uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    place_id       uuid NOT NULL REFERENCES places,
    job_id         uuid,
    content        jsonb NOT NULL,              -- {ko: {title, summary, sections, faq}, en: …}
    mode           text NOT NULL CHECK (mode IN ('ai', 'facts_only')),
    reason         text,                        -- why facts_only
    facts_version  bigint NOT NULL,
    prompt_version text,
    model_version  text,
    usage          jsonb,
    current        boolean NOT NULL DEFAULT true,
    created_at     timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT copies_fallback_says_why CHECK (mode <> 'facts_only' OR reason IS NOT NULL)
);
CREATE UNIQUE INDEX copies_one_current ON copies (place_id) WHERE current;

CREATE TABLE sites (
    place_id       uuid PRIMARY KEY REFERENCES places,
    slug           text NOT NULL UNIQUE CHECK (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' AND length(slug) <= 80),
    content_hash   text,            -- of everything published for the place; NULL before the first page
    render_version text,            -- which template made it
    page_version   bigint,          -- what of places.page_version it shows
    published_at   timestamptz,     -- first published
    changed_at     timestamptz,     -- lastmod: moves with content_hash alone
    unpublished_at timestamptz,
    missing        text[]           -- confirmed facts an honest page still lacks
);

CREATE TABLE site_roots (
    name         text PRIMARY KEY,  -- robots.txt, sitemap.xml
    version      bigint NOT NULL DEFAULT 0,
    content_hash text
);

CREATE TABLE ai_checks (
    check_id            uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    place_id            uuid NOT NULL REFERENCES places,
    job_id              uuid,
    engine              text NOT NULL,
    model               text,
    locale              text NOT NULL,
    question            text NOT NULL,
    question_version    text NOT NULL,
    sample              integer NOT NULL DEFAULT 1,
    mentioned           boolean,
    own_page_cited      boolean,
    own_page_retrieved  boolean,    -- retrieved only, not cited
    owned_listing_cited boolean,
    accuracy            jsonb,
    competitors         jsonb,
    error               text,       -- an error is never "not mentioned": the verdicts are NULL
    evidence            jsonb,
    cost_usd            numeric(12, 6),
    asked_at            timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT ai_checks_error_is_no_verdict CHECK ((error IS NULL) = (mentioned IS NOT NULL))
);
CREATE INDEX ai_checks_of_place ON ai_checks (place_id, asked_at);

CREATE TABLE usage (
    usage_id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    provider       text NOT NULL,
    model          text NOT NULL,
    job_id         uuid,
    place_id       uuid,
    outcome        text NOT NULL,        -- ok, or the failure's code
    input_tokens   integer,
    output_tokens  integer,
    cost_usd       numeric(12, 6),
    milliseconds   integer,
    created_at     timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX usage_by_time ON usage (created_at);
