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
-- kind: mcp reads every message and knows tools; http passes anything on and limits by client and route only.
-- total_timeout_ms, max_body_bytes: 0 for no such limit. A stream of events has no total, and a body on a route of kind mcp has the
-- limit of all messages. tls: a name of mcp.upstream-tls in the settings, for a trust store or certificate of the route's own.
-- breaker_failures, breaker_slow_ms: 0 to open by neither.
-- access: all who may call at all, or only the clients that client_route lists. scopes: what a caller has to have beside, all of them,
-- separated by spaces. identity: whether the upstream is told in X-Weir-Client who calls; signed with the setting
-- mcp.secrets.NAME that identity_secret names.
CREATE TABLE IF NOT EXISTS route (
    prefix VARCHAR(255) NOT NULL,
    kind VARCHAR(16) DEFAULT 'mcp' NOT NULL,
    upstream_url VARCHAR(2048) NOT NULL,
    rate_per_second DECIMAL(20, 6),
    burst BIGINT,
    refusal_form VARCHAR(16),
    batch VARCHAR(16) DEFAULT 'refuse' NOT NULL,
    error_mode VARCHAR(16) DEFAULT 'unified' NOT NULL,
    strip_prefix BOOLEAN DEFAULT TRUE NOT NULL,
    preserve_host BOOLEAN DEFAULT FALSE NOT NULL,
    tls VARCHAR(64),
    connect_timeout_ms INT DEFAULT 3000 NOT NULL,
    first_byte_timeout_ms INT DEFAULT 60000 NOT NULL,
    idle_timeout_ms INT DEFAULT 600000 NOT NULL,
    total_timeout_ms INT DEFAULT 0 NOT NULL,
    max_connections INT DEFAULT 1024 NOT NULL,
    max_queued INT DEFAULT 1024 NOT NULL,
    max_body_bytes BIGINT DEFAULT 0 NOT NULL,
    health_check VARCHAR(16) DEFAULT 'off' NOT NULL,
    health_check_path VARCHAR(2048) DEFAULT '' NOT NULL,
    health_check_seconds INT DEFAULT 10 NOT NULL,
    breaker_enabled BOOLEAN DEFAULT TRUE NOT NULL,
    breaker_failures INT DEFAULT 5 NOT NULL,
    breaker_failure_percent INT DEFAULT 50 NOT NULL,
    breaker_min_calls INT DEFAULT 20 NOT NULL,
    breaker_window_seconds INT DEFAULT 30 NOT NULL,
    breaker_slow_ms INT DEFAULT 0 NOT NULL,
    breaker_slow_percent INT DEFAULT 50 NOT NULL,
    breaker_open_seconds INT DEFAULT 30 NOT NULL,
    breaker_probes INT DEFAULT 2 NOT NULL,
    access VARCHAR(16) DEFAULT 'all' NOT NULL,
    scopes VARCHAR(1024) DEFAULT '' NOT NULL,
    identity VARCHAR(16) DEFAULT 'none' NOT NULL,
    identity_secret VARCHAR(64),
    enabled BOOLEAN DEFAULT TRUE NOT NULL,
    CONSTRAINT route_pk PRIMARY KEY (prefix),
    CONSTRAINT route_prefix_begins_and_does_not_end_with_slash
        CHECK (prefix = '/' OR (prefix LIKE '/%' AND prefix NOT LIKE '%/')),
    CONSTRAINT route_kind_is_mcp_or_http CHECK (kind IN ('mcp', 'http')),
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
    CONSTRAINT route_batch_is_refuse_or_judge CHECK (batch IN ('refuse', 'judge')),
    CONSTRAINT route_error_mode_is_known CHECK (error_mode IN ('unified', 'mask_5xx', 'pass')),
    CONSTRAINT route_tls_not_empty CHECK (TRIM(tls) <> ''),
    CONSTRAINT route_connect_timeout_ms_from_1_to_60000 CHECK (connect_timeout_ms BETWEEN 1 AND 60000),
    CONSTRAINT route_first_byte_timeout_ms_from_1_to_86400000 CHECK (first_byte_timeout_ms BETWEEN 1 AND 86400000),
    CONSTRAINT route_idle_timeout_ms_from_1_to_86400000 CHECK (idle_timeout_ms BETWEEN 1 AND 86400000),
    CONSTRAINT route_total_timeout_ms_from_0_to_86400000 CHECK (total_timeout_ms BETWEEN 0 AND 86400000),
    CONSTRAINT route_max_connections_from_1_to_65536 CHECK (max_connections BETWEEN 1 AND 65536),
    CONSTRAINT route_max_queued_from_0_to_65536 CHECK (max_queued BETWEEN 0 AND 65536),
    CONSTRAINT route_max_body_bytes_not_negative CHECK (max_body_bytes >= 0),
    CONSTRAINT route_health_check_is_off_mcp_or_http CHECK (health_check IN ('off', 'mcp', 'http')),
    CONSTRAINT route_health_check_path_begins_with_slash CHECK (health_check_path = '' OR health_check_path LIKE '/%'),
    CONSTRAINT route_health_check_seconds_from_1_to_3600 CHECK (health_check_seconds BETWEEN 1 AND 3600),
    CONSTRAINT route_breaker_failures_from_0_to_1000 CHECK (breaker_failures BETWEEN 0 AND 1000),
    CONSTRAINT route_breaker_failure_percent_from_1_to_100 CHECK (breaker_failure_percent BETWEEN 1 AND 100),
    CONSTRAINT route_breaker_min_calls_from_1_to_10000 CHECK (breaker_min_calls BETWEEN 1 AND 10000),
    CONSTRAINT route_breaker_window_seconds_from_1_to_600 CHECK (breaker_window_seconds BETWEEN 1 AND 600),
    CONSTRAINT route_breaker_slow_ms_from_0_to_86400000 CHECK (breaker_slow_ms BETWEEN 0 AND 86400000),
    CONSTRAINT route_breaker_slow_percent_from_1_to_100 CHECK (breaker_slow_percent BETWEEN 1 AND 100),
    CONSTRAINT route_breaker_open_seconds_from_1_to_3600 CHECK (breaker_open_seconds BETWEEN 1 AND 3600),
    CONSTRAINT route_breaker_probes_from_1_to_100 CHECK (breaker_probes BETWEEN 1 AND 100),
    CONSTRAINT route_access_is_all_or_listed CHECK (access IN ('all', 'listed')),
    CONSTRAINT route_scopes_are_words CHECK (scopes = '' OR scopes ~ '^[!#-Z^-~]+( [!#-Z^-~]+)*$'),
    CONSTRAINT route_identity_is_none_plain_or_signed CHECK (identity IN ('none', 'plain', 'signed')),
    CONSTRAINT route_identity_secret_goes_with_signed CHECK ((identity = 'signed') = (identity_secret IS NOT NULL))
);

-- Another upstream of a route, beside its upstream_url. Who calls, and from which session, decides which of them is asked.
CREATE TABLE IF NOT EXISTS route_target (
    route VARCHAR(255) NOT NULL,
    url VARCHAR(2048) NOT NULL,
    enabled BOOLEAN DEFAULT TRUE NOT NULL,
    CONSTRAINT route_target_pk PRIMARY KEY (route, url),
    CONSTRAINT route_target_route_must_exist
        FOREIGN KEY (route) REFERENCES route (prefix) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT route_target_url_is_http_or_https CHECK (url LIKE 'http://_%' OR url LIKE 'https://_%')
);

-- A header that is put on every request to the upstreams of a route, in place of the client's of the same name. The content may name
-- settings mcp.secrets.NAME, as docs/policy.md tells, so that no secret has to be kept here.
CREATE TABLE IF NOT EXISTS route_header (
    route VARCHAR(255) NOT NULL,
    name VARCHAR(128) NOT NULL,
    content VARCHAR(4096) NOT NULL,
    CONSTRAINT route_header_pk PRIMARY KEY (route, name),
    CONSTRAINT route_header_route_must_exist
        FOREIGN KEY (route) REFERENCES route (prefix) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT route_header_name_is_letters_digits_and_hyphens CHECK (name ~ '^[A-Za-z0-9-]+$'),
    CONSTRAINT route_header_name_is_none_that_weir_or_http_needs CHECK (
        LOWER(name) NOT LIKE 'mcp-%' AND LOWER(name) NOT IN (
            'connection', 'content-encoding', 'content-length', 'content-type', 'expect', 'host', 'http2-settings',
            'keep-alive', 'proxy-authenticate', 'proxy-authentication-info', 'proxy-authorization', 'proxy-connection', 'te',
            'trailer', 'transfer-encoding', 'upgrade', 'via', 'x-request-id', 'x-weir-client')),
    CONSTRAINT route_header_content_not_empty CHECK (TRIM(content) <> '')
);

-- A registered tool of a route; or, of kind method, another method than tools/call that is given a tier. access: all who may call on
-- the route, or only the clients that client_tool lists. scopes: what a caller has to have beside those of the route.
CREATE TABLE IF NOT EXISTS tool (
    route VARCHAR(255) NOT NULL,
    kind VARCHAR(16) DEFAULT 'tool' NOT NULL,
    name VARCHAR(255) NOT NULL,
    tier VARCHAR(64) NOT NULL,
    cost INT DEFAULT 1 NOT NULL,
    access VARCHAR(16) DEFAULT 'all' NOT NULL,
    scopes VARCHAR(1024) DEFAULT '' NOT NULL,
    enabled BOOLEAN DEFAULT TRUE NOT NULL,
    CONSTRAINT tool_pk PRIMARY KEY (route, kind, name),
    CONSTRAINT tool_kind_is_tool_or_method CHECK (kind IN ('tool', 'method')),
    CONSTRAINT tool_route_must_exist
        FOREIGN KEY (route) REFERENCES route (prefix) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT tool_tier_must_exist FOREIGN KEY (tier) REFERENCES tool_tier (name) ON UPDATE CASCADE,
    CONSTRAINT tool_name_not_empty CHECK (TRIM(name) <> ''),
    CONSTRAINT tool_cost_at_least_1 CHECK (cost >= 1),
    CONSTRAINT tool_access_is_all_or_listed CHECK (access IN ('all', 'listed')),
    CONSTRAINT tool_scopes_are_words CHECK (scopes = '' OR scopes ~ '^[!#-Z^-~]+( [!#-Z^-~]+)*$')
);

-- A named consumer. An exempt one is never limited and never banned; permissions hold for it all the same. scopes: what its keys are
-- good for, separated by spaces; a token says so by itself. role: what its keys open beside the routes, for operators' own clients.
CREATE TABLE IF NOT EXISTS client (
    id VARCHAR(64) NOT NULL,
    name VARCHAR(255) NOT NULL,
    enabled BOOLEAN DEFAULT TRUE NOT NULL,
    exempt BOOLEAN DEFAULT FALSE NOT NULL,
    scopes VARCHAR(1024) DEFAULT '' NOT NULL,
    role VARCHAR(16) DEFAULT 'agent' NOT NULL,
    CONSTRAINT client_pk PRIMARY KEY (id),
    CONSTRAINT client_id_not_empty CHECK (TRIM(id) <> ''),
    CONSTRAINT client_name_not_empty CHECK (TRIM(name) <> ''),
    CONSTRAINT client_scopes_are_words CHECK (scopes = '' OR scopes ~ '^[!#-Z^-~]+( [!#-Z^-~]+)*$'),
    CONSTRAINT client_role_is_known CHECK (role IN ('agent', 'viewer', 'operator', 'admin'))
);

-- Whether one client may call on one route, and there all tools or only those that client_tool lists.
CREATE TABLE IF NOT EXISTS client_route (
    client VARCHAR(64) NOT NULL,
    route VARCHAR(255) NOT NULL,
    allowed BOOLEAN DEFAULT TRUE NOT NULL,
    tools VARCHAR(16) DEFAULT 'all' NOT NULL,
    CONSTRAINT client_route_pk PRIMARY KEY (client, route),
    CONSTRAINT client_route_client_must_exist
        FOREIGN KEY (client) REFERENCES client (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT client_route_route_must_exist
        FOREIGN KEY (route) REFERENCES route (prefix) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT client_route_tools_is_all_or_listed CHECK (tools IN ('all', 'listed'))
);

-- What one client gets on one tool: access, or none, and perhaps another tier than the tool's own.
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

-- Which tokens of the authorization server are those of a client: by the client that they were given to, or by their subject, which is
-- looked at first.
CREATE TABLE IF NOT EXISTS client_token (
    claim VARCHAR(16) DEFAULT 'client_id' NOT NULL,
    content VARCHAR(255) NOT NULL,
    client VARCHAR(64) NOT NULL,
    CONSTRAINT client_token_pk PRIMARY KEY (claim, content),
    CONSTRAINT client_token_client_must_exist
        FOREIGN KEY (client) REFERENCES client (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT client_token_claim_is_client_id_or_sub CHECK (claim IN ('client_id', 'sub')),
    CONSTRAINT client_token_content_not_empty CHECK (TRIM(content) <> '')
);

-- Whatever else may be changed while Weir runs. A row wins over the static setting of the same meaning.
CREATE TABLE IF NOT EXISTS setting (
    name VARCHAR(64) NOT NULL,
    content VARCHAR(1024) NOT NULL,
    CONSTRAINT setting_pk PRIMARY KEY (name),
    CONSTRAINT setting_name_not_empty CHECK (TRIM(name) <> '')
);
