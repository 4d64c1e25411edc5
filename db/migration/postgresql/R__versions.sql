-- A row of ban has a new version whenever it is written, so that what has changed can be found without reading all.
CREATE OR REPLACE FUNCTION weir_version() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    NEW.version := nextval('ban_version');
    RETURN NEW;
END
$$;

CREATE OR REPLACE TRIGGER ban_versioned BEFORE INSERT OR UPDATE ON ban
    FOR EACH ROW EXECUTE FUNCTION weir_version();
