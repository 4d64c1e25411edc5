-- Writes down each change that an operator makes, with the row before and after it. The arguments of the trigger are the columns
-- that name a row.
CREATE OR REPLACE FUNCTION weir_audit() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
    was JSONB := CASE WHEN TG_OP = 'INSERT' THEN NULL ELSE to_jsonb(OLD) - 'version' - 'evidence' END;
    now JSONB := CASE WHEN TG_OP = 'DELETE' THEN NULL ELSE to_jsonb(NEW) - 'version' - 'evidence' END;
    named TEXT;
BEGIN
    IF was = now THEN
        RETURN NULL;
    END IF;
    SELECT string_agg(COALESCE(now, was) ->> name, ' ' ORDER BY place) INTO named
        FROM unnest(TG_ARGV) WITH ORDINALITY AS names (name, place);
    INSERT INTO admin_event (changed_by, action, table_name, row_name, row_before, row_after)
        VALUES (COALESCE(NULLIF(current_setting('weir.operator', TRUE), ''), session_user), lower(TG_OP), TG_TABLE_NAME, named,
            CAST(was AS TEXT), CAST(now AS TEXT));
    RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION weir_audit_truncate() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO admin_event (changed_by, action, table_name, row_name)
        VALUES (COALESCE(NULLIF(current_setting('weir.operator', TRUE), ''), session_user), 'truncate', TG_TABLE_NAME, '*');
    RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER tool_tier_audited AFTER INSERT OR UPDATE OR DELETE ON tool_tier
    FOR EACH ROW EXECUTE FUNCTION weir_audit('name');
CREATE OR REPLACE TRIGGER route_audited AFTER INSERT OR UPDATE OR DELETE ON route
    FOR EACH ROW EXECUTE FUNCTION weir_audit('prefix');
CREATE OR REPLACE TRIGGER route_target_audited AFTER INSERT OR UPDATE OR DELETE ON route_target
    FOR EACH ROW EXECUTE FUNCTION weir_audit('route', 'url');
CREATE OR REPLACE TRIGGER route_header_audited AFTER INSERT OR UPDATE OR DELETE ON route_header
    FOR EACH ROW EXECUTE FUNCTION weir_audit('route', 'name');
CREATE OR REPLACE TRIGGER tool_audited AFTER INSERT OR UPDATE OR DELETE ON tool
    FOR EACH ROW EXECUTE FUNCTION weir_audit('route', 'kind', 'name');
CREATE OR REPLACE TRIGGER client_audited AFTER INSERT OR UPDATE OR DELETE ON client
    FOR EACH ROW EXECUTE FUNCTION weir_audit('id');
CREATE OR REPLACE TRIGGER client_key_audited AFTER INSERT OR UPDATE OR DELETE ON client_key
    FOR EACH ROW EXECUTE FUNCTION weir_audit('sha256');
CREATE OR REPLACE TRIGGER client_token_audited AFTER INSERT OR UPDATE OR DELETE ON client_token
    FOR EACH ROW EXECUTE FUNCTION weir_audit('claim', 'content');
CREATE OR REPLACE TRIGGER client_route_audited AFTER INSERT OR UPDATE OR DELETE ON client_route
    FOR EACH ROW EXECUTE FUNCTION weir_audit('client', 'route');
CREATE OR REPLACE TRIGGER client_tool_audited AFTER INSERT OR UPDATE OR DELETE ON client_tool
    FOR EACH ROW EXECUTE FUNCTION weir_audit('client', 'route', 'kind', 'tool');
CREATE OR REPLACE TRIGGER setting_audited AFTER INSERT OR UPDATE OR DELETE ON setting
    FOR EACH ROW EXECUTE FUNCTION weir_audit('name');
CREATE OR REPLACE TRIGGER tool_tier_truncate_audited AFTER TRUNCATE ON tool_tier
    FOR EACH STATEMENT EXECUTE FUNCTION weir_audit_truncate();
CREATE OR REPLACE TRIGGER route_truncate_audited AFTER TRUNCATE ON route
    FOR EACH STATEMENT EXECUTE FUNCTION weir_audit_truncate();
CREATE OR REPLACE TRIGGER route_target_truncate_audited AFTER TRUNCATE ON route_target
    FOR EACH STATEMENT EXECUTE FUNCTION weir_audit_truncate();
CREATE OR REPLACE TRIGGER route_header_truncate_audited AFTER TRUNCATE ON route_header
    FOR EACH STATEMENT EXECUTE FUNCTION weir_audit_truncate();
CREATE OR REPLACE TRIGGER tool_truncate_audited AFTER TRUNCATE ON tool
    FOR EACH STATEMENT EXECUTE FUNCTION weir_audit_truncate();
CREATE OR REPLACE TRIGGER client_truncate_audited AFTER TRUNCATE ON client
    FOR EACH STATEMENT EXECUTE FUNCTION weir_audit_truncate();
CREATE OR REPLACE TRIGGER client_key_truncate_audited AFTER TRUNCATE ON client_key
    FOR EACH STATEMENT EXECUTE FUNCTION weir_audit_truncate();
CREATE OR REPLACE TRIGGER client_token_truncate_audited AFTER TRUNCATE ON client_token
    FOR EACH STATEMENT EXECUTE FUNCTION weir_audit_truncate();
CREATE OR REPLACE TRIGGER client_route_truncate_audited AFTER TRUNCATE ON client_route
    FOR EACH STATEMENT EXECUTE FUNCTION weir_audit_truncate();
CREATE OR REPLACE TRIGGER client_tool_truncate_audited AFTER TRUNCATE ON client_tool
    FOR EACH STATEMENT EXECUTE FUNCTION weir_audit_truncate();
CREATE OR REPLACE TRIGGER setting_truncate_audited AFTER TRUNCATE ON setting
    FOR EACH STATEMENT EXECUTE FUNCTION weir_audit_truncate();
CREATE OR REPLACE TRIGGER ban_truncate_audited AFTER TRUNCATE ON ban
    FOR EACH STATEMENT EXECUTE FUNCTION weir_audit_truncate();

-- Not the bans that came of strikes, which have rows of their own already, nor the deletion of those that are over.
CREATE OR REPLACE TRIGGER ban_made_audited AFTER INSERT ON ban
    FOR EACH ROW WHEN (NEW.strikes = 0) EXECUTE FUNCTION weir_audit('id');
CREATE OR REPLACE TRIGGER ban_altered_audited AFTER UPDATE ON ban
    FOR EACH ROW EXECUTE FUNCTION weir_audit('id');
CREATE OR REPLACE TRIGGER ban_deleted_audited AFTER DELETE ON ban
    FOR EACH ROW WHEN (OLD.lifted_at IS NULL AND OLD.expires_at > CURRENT_TIMESTAMP) EXECUTE FUNCTION weir_audit('id');
