-- A row of ban has a new version whenever it is written, so that what has changed can be found without reading all.
ALTER TABLE ban ALTER COLUMN version SET DEFAULT NEXT VALUE FOR ban_version;
ALTER TABLE ban ALTER COLUMN version SET ON UPDATE NEXT VALUE FOR ban_version;
