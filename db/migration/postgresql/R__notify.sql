-- Tells every node that listens on the channel "weir" of each committed change: of the policy, or of the bans. Run after all the
-- numbered migrations, and again whenever this file has changed. Several changes in one transaction make one notification each
-- of "policy" and "ban", which come with the commit.
CREATE OR REPLACE FUNCTION weir_notify() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('weir', TG_ARGV[0]);
    RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER tool_tier_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON tool_tier
    FOR EACH STATEMENT EXECUTE FUNCTION weir_notify('policy');
CREATE OR REPLACE TRIGGER route_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON route
    FOR EACH STATEMENT EXECUTE FUNCTION weir_notify('policy');
CREATE OR REPLACE TRIGGER route_target_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON route_target
    FOR EACH STATEMENT EXECUTE FUNCTION weir_notify('policy');
CREATE OR REPLACE TRIGGER route_header_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON route_header
    FOR EACH STATEMENT EXECUTE FUNCTION weir_notify('policy');
CREATE OR REPLACE TRIGGER tool_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON tool
    FOR EACH STATEMENT EXECUTE FUNCTION weir_notify('policy');
CREATE OR REPLACE TRIGGER client_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON client
    FOR EACH STATEMENT EXECUTE FUNCTION weir_notify('policy');
CREATE OR REPLACE TRIGGER client_key_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON client_key
    FOR EACH STATEMENT EXECUTE FUNCTION weir_notify('policy');
CREATE OR REPLACE TRIGGER client_token_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON client_token
    FOR EACH STATEMENT EXECUTE FUNCTION weir_notify('policy');
CREATE OR REPLACE TRIGGER client_route_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON client_route
    FOR EACH STATEMENT EXECUTE FUNCTION weir_notify('policy');
CREATE OR REPLACE TRIGGER client_tool_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON client_tool
    FOR EACH STATEMENT EXECUTE FUNCTION weir_notify('policy');
CREATE OR REPLACE TRIGGER setting_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON setting
    FOR EACH STATEMENT EXECUTE FUNCTION weir_notify('policy');
CREATE OR REPLACE TRIGGER ban_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON ban
    FOR EACH STATEMENT EXECUTE FUNCTION weir_notify('ban');
