-- What Weir has made up for itself and all nodes have to agree in: made by the node that starts first, read by all at their start.
-- session: the key of the seals on session ids and on the addresses of HTTP+SSE messages. Without its row the next start makes
-- another, and clients have to open their sessions anew.
CREATE TABLE IF NOT EXISTS gateway_secret (
    name VARCHAR(64) NOT NULL,
    content VARCHAR(64) NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT CURRENT_TIMESTAMP NOT NULL,
    CONSTRAINT gateway_secret_pk PRIMARY KEY (name),
    CONSTRAINT gateway_secret_content_is_64_small_hex_digits CHECK (content ~ '^[0-9a-f]{64}$')
);
