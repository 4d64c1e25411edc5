-- The policy: what an operator decides. Edited by plain SQL; in force as soon as Weir has read it again.
-- H2 and PostgreSQL both take this file. Every statement may be run again (see README.md here): H2 keeps what was done when a
-- process is killed between two of them.

-- A named limit for tools. A rate of 0 blocks. max_concurrent: calls in flight of one client on one tool, 0 for any number.
-- max_wait_ms: how long a call may wait for its token instead of being refused.
CREATE TABLE IF NOT EXISTS tool_tier (
    name VARCHAR(64) NOT NULL,
    rate_per_second DECIMAL(20, 6) NOT NULL,
    burst BIGINT NOT NULL,
    cooldown_seconds INT DEFAULT 0 NOT NULL,
    max_concurrent INT DEFAULT 0 NOT NULL,
    max_wait_ms INT DEFAULT 0 NOT NULL,
    mode VARCHAR(16) DEFAULT 'enforce' NOT NULL,
    CONSTRAINT tool_tier_pk PRIMARY KEY (name),
    CONSTRAINT tool_tier_name_not_empty CHECK (TRIM(name) <> ''),
    CONSTRAINT tool_tier_rate_from_0_to_1000000 CHECK (rate_per_second >= 0 AND rate_per_second <= 1000000),
    CONSTRAINT tool_tier_burst_not_negative CHECK (burst >= 0),
    CONSTRAINT tool_tier_burst_0_only_with_rate_0 CHECK (burst > 0 OR rate_per_second = 0),
    CONSTRAINT tool_tier_burst_must_fill_in_70_years
        CHECK (rate_per_second <= 0 OR burst <= rate_per_second * 2305843009),
    CONSTRAINT tool_tier_cooldown_not_negative CHECK (cooldown_seconds >= 0),
    CONSTRAINT tool_tier_max_concurrent_not_negative CHECK (max_concurrent >= 0),
    CONSTRAINT tool_tier_max_wait_ms_from_0_to_60000 CHECK (max_wait_ms >= 0 AND max_wait_ms <= 60000),
    CONSTRAINT tool_tier_mode_is_enforce_shadow_or_off CHECK (mode IN ('enforce', 'shadow', 'off'))
);

INSERT INTO tool_tier (name, rate_per_second, burst, cooldown_seconds) VALUES
    ('heavy', 2, 5, 30),
    ('light', 30, 60, 0),
    ('standard', 10, 20, 0)
ON CONFLICT DO NOTHING;

-- A public prefix and the upstream behind it. Rate and burst limit all that is sent on the route; null: no such limit.
CREATE TABLE IF NOT EXISTS route (
    prefix VARCHAR(255) NOT NULL,
    kind VARCHAR(16) DEFAULT 'mcp' NOT NULL,
    upstream_url VARCHAR(2048) NOT NULL,
    rate_per_second DECIMAL(20, 6),
    burst BIGINT,
    refusal_form VARCHAR(16),
    batch VARCHAR(16) DEFAULT 'refuse' NOT NULL,
    enabled BOOLEAN DEFAULT TRUE NOT NULL,
    CONSTRAINT route_pk PRIMARY KEY (prefix),
    CONSTRAINT route_prefix_begins_and_does_not_end_with_slash
        CHECK (prefix = '/' OR (prefix LIKE '/%' AND prefix NOT LIKE '%/')),
    CONSTRAINT route_kind_is_mcp CHECK (kind = 'mcp'),
    CONSTRAINT route_upstream_url_is_http_or_https
        CHECK (upstream_url LIKE 'http://_%' OR upstream_url LIKE 'https://_%'),
    CONSTRAINT route_rate_from_0_to_1000000 CHECK (rate_per_second >= 0 AND rate_per_second <= 1000000),
    CONSTRAINT route_burst_not_negative CHECK (burst >= 0),
    CONSTRAINT route_burst_0_only_with_rate_0 CHECK (burst > 0 OR rate_per_second = 0),
    CONSTRAINT route_burst_must_fill_in_70_years
        CHECK (rate_per_second <= 0 OR burst <= rate_per_second * 2305843009),
    CONSTRAINT route_rate_and_burst_go_together CHECK ((rate_per_second IS NULL) = (burst IS NULL)),
    CONSTRAINT route_refusal_form_is_known
        CHECK (refusal_form IN ('auto', 'jsonrpc_error', 'tool_result', 'http_429')),
    CONSTRAINT route_batch_is_refuse_or_judge CHECK (batch IN ('refuse', 'judge'))
);

-- A registered tool of a route; or, of kind method, another method than tools/call that is given a tier.
CREATE TABLE IF NOT EXISTS tool (
    route VARCHAR(255) NOT NULL,
    kind VARCHAR(16) DEFAULT 'tool' NOT NULL,
    name VARCHAR(255) NOT NULL,
    tier VARCHAR(64) NOT NULL,
    cost INT DEFAULT 1 NOT NULL,
    enabled BOOLEAN DEFAULT TRUE NOT NULL,
    CONSTRAINT tool_pk PRIMARY KEY (route, kind, name),
    CONSTRAINT tool_kind_is_tool_or_method CHECK (kind IN ('tool', 'method')),
    CONSTRAINT tool_route_must_exist
        FOREIGN KEY (route) REFERENCES route (prefix) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT tool_tier_must_exist FOREIGN KEY (tier) REFERENCES tool_tier (name) ON UPDATE CASCADE,
    CONSTRAINT tool_name_not_empty CHECK (TRIM(name) <> ''),
    CONSTRAINT tool_cost_at_least_1 CHECK (cost >= 1)
);

-- A named consumer. An exempt one is never limited and never banned.
CREATE TABLE IF NOT EXISTS client (
    id VARCHAR(64) NOT NULL,
    name VARCHAR(255) NOT NULL,
    enabled BOOLEAN DEFAULT TRUE NOT NULL,
    exempt BOOLEAN DEFAULT FALSE NOT NULL,
    CONSTRAINT client_pk PRIMARY KEY (id),
    CONSTRAINT client_id_not_empty CHECK (TRIM(id) <> ''),
    CONSTRAINT client_name_not_empty CHECK (TRIM(name) <> '')
);

-- What one client gets on one tool: another tier than the tool's own, or no access.
CREATE TABLE IF NOT EXISTS client_tool (
    client VARCHAR(64) NOT NULL,
    route VARCHAR(255) NOT NULL,
    kind VARCHAR(16) DEFAULT 'tool' NOT NULL,
    tool VARCHAR(255) NOT NULL,
    tier VARCHAR(64),
    allowed BOOLEAN DEFAULT TRUE NOT NULL,
    CONSTRAINT client_tool_pk PRIMARY KEY (client, route, kind, tool),
    CONSTRAINT client_tool_client_must_exist
        FOREIGN KEY (client) REFERENCES client (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT client_tool_tool_must_be_registered
        FOREIGN KEY (route, kind, tool) REFERENCES tool (route, kind, name) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT client_tool_tier_must_exist FOREIGN KEY (tier) REFERENCES tool_tier (name) ON UPDATE CASCADE
);

-- A credential of a client, kept as the SHA-256 of the key: 64 hexadecimal digits in small letters.
CREATE TABLE IF NOT EXISTS client_key (
    sha256 VARCHAR(64) NOT NULL,
    client VARCHAR(64) NOT NULL,
    label VARCHAR(255) DEFAULT '' NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT CURRENT_TIMESTAMP NOT NULL,
    expires_at TIMESTAMP WITH TIME ZONE,
    revoked_at TIMESTAMP WITH TIME ZONE,
    CONSTRAINT client_key_pk PRIMARY KEY (sha256),
    CONSTRAINT client_key_client_must_exist
        FOREIGN KEY (client) REFERENCES client (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT client_key_sha256_is_64_small_hex_digits CHECK (sha256 ~ '^[0-9a-f]{64}$'),
    CONSTRAINT client_key_expires_after_created CHECK (expires_at > created_at)
);

-- Whatever else may be changed while Weir runs. A row wins over the static setting of the same meaning.
CREATE TABLE IF NOT EXISTS setting (
    name VARCHAR(64) NOT NULL,
    content VARCHAR(1024) NOT NULL,
    CONSTRAINT setting_pk PRIMARY KEY (name),
    CONSTRAINT setting_name_not_empty CHECK (TRIM(name) <> '')
);
