-- The whole history of bans. A ban holds while it is not lifted and not over; a row is never deleted by being lifted.
-- Every column that a person would not want to type has a default: principal and expires_at make a ban by hand.
CREATE TABLE ban (
    id VARCHAR(36) DEFAULT CAST(gen_random_uuid() AS VARCHAR(36)) NOT NULL,
    principal VARCHAR NOT NULL,
    scope VARCHAR(16) DEFAULT 'tools' NOT NULL,
    reason VARCHAR DEFAULT 'banned by an operator' NOT NULL,
    route VARCHAR,
    tool VARCHAR,
    strikes INT DEFAULT 0 NOT NULL,
    window_seconds INT DEFAULT 0 NOT NULL,
    evidence TEXT,
    started_at TIMESTAMP WITH TIME ZONE DEFAULT CURRENT_TIMESTAMP NOT NULL,
    expires_at TIMESTAMP WITH TIME ZONE NOT NULL,
    lifted_at TIMESTAMP WITH TIME ZONE,
    lifted_by VARCHAR,
    lift_reason VARCHAR,
    escalation INT DEFAULT 0 NOT NULL,
    banned_by VARCHAR,
    node VARCHAR DEFAULT '' NOT NULL,
    CONSTRAINT ban_pk PRIMARY KEY (id),
    CONSTRAINT ban_id_not_empty CHECK (TRIM(id) <> ''),
    CONSTRAINT ban_principal_is_client_key_address_or_agent
        CHECK (principal LIKE 'client:_%' OR principal ~ '^key:[0-9a-f]{16}$'
            OR principal LIKE 'address:%' OR principal ~ '^agent:.* [0-9a-f]{16}$'),
    CONSTRAINT ban_scope_is_tools_or_all CHECK (scope IN ('tools', 'all')),
    CONSTRAINT ban_strikes_not_negative CHECK (strikes >= 0),
    CONSTRAINT ban_window_not_negative CHECK (window_seconds >= 0),
    CONSTRAINT ban_escalation_not_negative CHECK (escalation >= 0),
    CONSTRAINT ban_expires_after_it_started CHECK (expires_at > started_at),
    CONSTRAINT ban_lifted_by_only_with_lifted_at CHECK (lifted_at IS NOT NULL OR lifted_by IS NULL)
);

-- The bans that hold: lifted_at IS NULL AND expires_at > now.
CREATE INDEX ban_active ON ban (lifted_at, expires_at);
