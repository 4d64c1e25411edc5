-- What buckets owe and which are shut, so that a restart gives nobody a fresh burst. Written by Weir alone.
CREATE TABLE bucket (
    level VARCHAR(16) NOT NULL,
    principal VARCHAR NOT NULL,
    route VARCHAR NOT NULL,
    tool VARCHAR NOT NULL,
    full_at TIMESTAMP WITH TIME ZONE NOT NULL,
    shut_until TIMESTAMP WITH TIME ZONE,
    CONSTRAINT bucket_pk PRIMARY KEY (level, principal, route, tool),
    CONSTRAINT bucket_level_is_known CHECK (level IN ('tool', 'channel', 'route', 'global'))
);
