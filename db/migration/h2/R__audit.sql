-- Writes down each change that an operator makes, with the row before and after it.
CREATE TRIGGER IF NOT EXISTS tool_tier_audited AFTER INSERT, UPDATE, DELETE ON tool_tier FOR EACH ROW CALL 'dev.weir.store.H2Audit';
CREATE TRIGGER IF NOT EXISTS route_audited AFTER INSERT, UPDATE, DELETE ON route FOR EACH ROW CALL 'dev.weir.store.H2Audit';
CREATE TRIGGER IF NOT EXISTS route_target_audited AFTER INSERT, UPDATE, DELETE ON route_target FOR EACH ROW CALL 'dev.weir.store.H2Audit';
CREATE TRIGGER IF NOT EXISTS route_header_audited AFTER INSERT, UPDATE, DELETE ON route_header FOR EACH ROW CALL 'dev.weir.store.H2Audit';
CREATE TRIGGER IF NOT EXISTS tool_audited AFTER INSERT, UPDATE, DELETE ON tool FOR EACH ROW CALL 'dev.weir.store.H2Audit';
CREATE TRIGGER IF NOT EXISTS client_audited AFTER INSERT, UPDATE, DELETE ON client FOR EACH ROW CALL 'dev.weir.store.H2Audit';
CREATE TRIGGER IF NOT EXISTS client_key_audited AFTER INSERT, UPDATE, DELETE ON client_key FOR EACH ROW CALL 'dev.weir.store.H2Audit';
CREATE TRIGGER IF NOT EXISTS client_token_audited AFTER INSERT, UPDATE, DELETE ON client_token FOR EACH ROW CALL 'dev.weir.store.H2Audit';
CREATE TRIGGER IF NOT EXISTS client_route_audited AFTER INSERT, UPDATE, DELETE ON client_route FOR EACH ROW CALL 'dev.weir.store.H2Audit';
CREATE TRIGGER IF NOT EXISTS client_tool_audited AFTER INSERT, UPDATE, DELETE ON client_tool FOR EACH ROW CALL 'dev.weir.store.H2Audit';
CREATE TRIGGER IF NOT EXISTS setting_audited AFTER INSERT, UPDATE, DELETE ON setting FOR EACH ROW CALL 'dev.weir.store.H2Audit';
CREATE TRIGGER IF NOT EXISTS ban_audited AFTER INSERT, UPDATE, DELETE ON ban FOR EACH ROW CALL 'dev.weir.store.H2Audit';
