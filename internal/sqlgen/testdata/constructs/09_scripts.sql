-- Commands of transactions and sessions, psql and pgbench
CREATE TABLE a (k int PRIMARY KEY, v int, s text);
CREATE TABLE log (id serial PRIMARY KEY, note text);
INSERT INTO a VALUES (1, 10, 'x'), (2, 20, 'y');

-- ## SAVEPOINT, ROLLBACK TO, RELEASE
UPDATE a SET v = 1 WHERE k = 1;
SAVEPOINT p;
UPDATE a SET v = 2 WHERE k = 1;
ROLLBACK TO SAVEPOINT p;
RELEASE SAVEPOINT p;
UPDATE a SET v = 3 WHERE k = 2;

-- ## SET TRANSACTION READ ONLY
SET TRANSACTION READ ONLY;
SELECT v FROM a WHERE k = 1;

-- ## SET LOCAL statement_timeout
SET LOCAL statement_timeout = 5000;
SELECT v FROM a WHERE k = 1;

-- ## SET LOCAL lock_timeout
SET LOCAL lock_timeout = 5000;
UPDATE a SET v = 0 WHERE k = 1;

-- ## SET LOCAL of a variable of the application
SET LOCAL app.tenant = '5';
SELECT current_setting('app.tenant');

-- ## set_config
SELECT set_config('app.tenant', '5', true);
SELECT current_setting('app.tenant');

-- ## SET search_path
SET LOCAL search_path = public;
SELECT v FROM a WHERE k = 1;

-- ## SET ROLE
SET LOCAL ROLE NONE;
SELECT v FROM a WHERE k = 1;

-- ## SHOW
SHOW server_encoding;

-- ## EXPLAIN
EXPLAIN (COSTS off) SELECT v FROM a WHERE k = 1;

-- ## PREPARE and EXECUTE
PREPARE q AS SELECT v FROM a WHERE k = 1;
EXECUTE q;
DEALLOCATE q;

-- ## DECLARE CURSOR, FETCH
DECLARE c CURSOR FOR SELECT v FROM a ORDER BY k;
FETCH 1 FROM c;
CLOSE c;

-- ## NOTIFY
UPDATE a SET v = 1 WHERE k = 1;
NOTIFY c, 'x';

-- ## LISTEN
SELECT v FROM a WHERE k = 1;
LISTEN c;

-- ## ANALYZE
ANALYZE a;
SELECT v FROM a WHERE k = 1;

-- ## COMMENT ON
SELECT v FROM a WHERE k = 1;
COMMENT ON TABLE a IS 'x';

-- ## CREATE TABLE in a transaction that writes
CREATE TABLE c (k int PRIMARY KEY);
INSERT INTO c VALUES (1);
UPDATE a SET v = 1 WHERE k = 1;

-- ## ALTER TABLE in a transaction that writes
UPDATE a SET v = 1 WHERE k = 1;
ALTER TABLE a ADD w int;

-- ## DROP INDEX in a transaction that writes
CREATE INDEX i ON a (v);
---
UPDATE a SET v = 1 WHERE k = 1;
DROP INDEX i;

-- ## CREATE INDEX in a transaction
CREATE INDEX i ON a (v);
UPDATE a SET v = 1 WHERE k = 1;

-- ## GRANT in a transaction
GRANT SELECT ON a TO PUBLIC;
UPDATE a SET v = 1 WHERE k = 1;

-- ## PREPARE TRANSACTION
UPDATE a SET v = 1 WHERE k = 1;
PREPARE TRANSACTION 'x';

-- ## COPY … TO STDOUT
COPY a TO STDOUT;

-- ## psql: \set of a value
-- psql
\set x 1
SELECT v FROM a WHERE k = :x;

-- ## psql: :'x' and :"x"
-- psql
\set x y
\set c s
SELECT v FROM a WHERE :"c" = :'x';

-- ## psql: \gset
-- psql
SELECT v FROM a WHERE k = 1 \gset
UPDATE a SET v = :v + 1 WHERE k = 2;

-- ## psql: \gset with a prefix
-- psql
SELECT v, s FROM a WHERE k = 1 \gset my_
UPDATE a SET v = :my_v + 1 WHERE s = :'my_s';

-- ## psql: \if … \else … \endif
-- psql
SELECT v > 5 AS big FROM a WHERE k = 1 \gset
\if :big
UPDATE a SET v = 0 WHERE k = 1;
\else
UPDATE a SET v = 0 WHERE k = 2;
\endif

-- ## psql: \if :{?n}
-- psql
\if :{?n}
UPDATE a SET v = 0 WHERE k = 1;
\else
UPDATE a SET v = 0 WHERE k = 2;
\endif

-- ## psql: a default with \if :{?n} \else \set
-- psql
\if :{?n}
\else
\set n 2
\endif
UPDATE a SET v = 0 WHERE k = :n;

-- ## psql: \if :{?n} of a variable of \gset
-- psql
SELECT v AS n FROM a WHERE k = 7 \gset
\if :{?n}
UPDATE a SET v = 0 WHERE k = 1;
\endif

-- ## psql: \unset
-- psql
\set n 1
\unset n
\if :{?n}
UPDATE a SET v = 0 WHERE k = 1;
\endif
SELECT 1;

-- ## psql: \echo
-- psql
\echo -n
SELECT v FROM a WHERE k = 1;

-- ## psql: \timing, \pset
-- psql
\timing off
\pset null '∅'
SELECT v FROM a WHERE k = 1;

-- ## psql: \gexec
-- psql
SELECT 'UPDATE a SET v = 1 WHERE k = 1' \gexec

-- ## psql: \g
-- psql
SELECT v FROM a WHERE k = 1 \g

-- ## psql: \copy
-- psql
\copy a to '/dev/null'
SELECT 1;

-- ## psql: \! of the shell
-- psql
\! true
SELECT 1;

-- ## psql: \ir of a missing file
-- psql
\ir other.sql
SELECT 1;

-- ## psql: \watch
-- psql
SELECT 1 \watch 1

-- ## psql: ON_ERROR_ROLLBACK
-- psql
\set ON_ERROR_ROLLBACK on
UPDATE a SET v = 0 WHERE k = 1;

-- ## pgbench: \set with an expression
-- pgbench
\set x 1 + 1
UPDATE a SET v = :x WHERE k = :x;

-- ## pgbench: random()
-- pgbench
\set x random(1, 2)
UPDATE a SET v = 0;

-- ## pgbench: \gset
-- pgbench
SELECT v FROM a WHERE k = 1 \gset
UPDATE a SET v = :v + 1 WHERE k = 2;

-- ## pgbench: \if
-- pgbench
\set x 3
\if :x > 2
UPDATE a SET v = 0 WHERE k = 1;
\else
UPDATE a SET v = 0 WHERE k = 2;
\endif

-- ## pgbench: \sleep
-- pgbench
\sleep 1 us
UPDATE a SET v = 0 WHERE k = 1;

-- ## pgbench: \startpipeline
-- pgbench
UPDATE a SET v = 0 WHERE k = 1;
\sleep 1 us
