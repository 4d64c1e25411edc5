-- The Weirs that work on this database: one row for each process, written by it every few seconds, and taken away when it stops.
-- One that has not been seen for a day is forgotten. watched_at: when somebody last watched all of them from this one, so that the
-- others know to say often what they are at. sample: that, as JSON.
CREATE TABLE IF NOT EXISTS node (
    id VARCHAR(255) NOT NULL,
    name VARCHAR(255) NOT NULL,
    started_at TIMESTAMP WITH TIME ZONE NOT NULL,
    seen_at TIMESTAMP WITH TIME ZONE NOT NULL,
    watched_at TIMESTAMP WITH TIME ZONE,
    sample TEXT,
    CONSTRAINT node_pk PRIMARY KEY (id)
);
