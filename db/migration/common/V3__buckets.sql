-- What buckets owe and which are shut, so that a restart gives nobody a fresh burst. Written by Weir alone. Rate and burst are
-- those that the bucket was last counted against: they say how many tokens the time until full_at is worth.
CREATE TABLE IF NOT EXISTS bucket (
    level VARCHAR(16) NOT NULL,
    principal VARCHAR NOT NULL,
    route VARCHAR NOT NULL,
    tool VARCHAR NOT NULL,
    rate_per_second DOUBLE PRECISION NOT NULL,
    burst BIGINT NOT NULL,
    full_at TIMESTAMP WITH TIME ZONE NOT NULL,
    shut_until TIMESTAMP WITH TIME ZONE,
    CONSTRAINT bucket_pk PRIMARY KEY (level, principal, route, tool),
    CONSTRAINT bucket_level_is_known CHECK (level IN ('tool', 'method', 'channel', 'route', 'global')),
    CONSTRAINT bucket_rate_above_0_to_1000000 CHECK (rate_per_second > 0 AND rate_per_second <= 1000000),
    CONSTRAINT bucket_burst_at_least_1 CHECK (burst >= 1)
);
