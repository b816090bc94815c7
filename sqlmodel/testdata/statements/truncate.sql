-- TRUNCATE, and what reads the table beside it.

TRUNCATE log;
-- not modelled, touches log: TRUNCATE, which takes the rows away from older snapshots, too (DELETE does not)

SELECT count(*) FROM log;
-- not modelled, touches log: rows that TRUNCATE or ALTER TABLE may take away from an older snapshot, which DELETE does not

INSERT INTO log VALUES ('more', 1);
-- insert log

SELECT x FROM a WHERE k = 1;
-- reads a (k, x) rows {1}
