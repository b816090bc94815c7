-- Constraints and columns
CREATE TABLE p (id int PRIMARY KEY, n int);
INSERT INTO p VALUES (1, 1), (2, 2), (3, 3);

-- ## PRIMARY KEY of several columns
CREATE TABLE a (x int, y int, v int, PRIMARY KEY (x, y));
---
INSERT INTO a VALUES (1, 2, 3);
UPDATE a SET v = 4 WHERE x = 1 AND y = 2;

-- ## UNIQUE
CREATE TABLE a (k int PRIMARY KEY, u int UNIQUE);
---
INSERT INTO a VALUES (1, 5);
INSERT INTO a VALUES (2, 5);

-- ## UNIQUE of several columns
CREATE TABLE a (k int PRIMARY KEY, x int, y int, UNIQUE (x, y));
---
INSERT INTO a VALUES (1, 5, NULL), (2, 5, NULL), (3, 5, 6);

-- ## UNIQUE NULLS NOT DISTINCT
CREATE TABLE a (k int PRIMARY KEY, x int, UNIQUE NULLS NOT DISTINCT (x));
---
INSERT INTO a VALUES (1, NULL), (2, NULL);

-- ## a partial unique index
CREATE TABLE a (k int PRIMARY KEY, x int, on_ boolean); CREATE UNIQUE INDEX i ON a (x) WHERE on_;
---
INSERT INTO a VALUES (1, 5, false), (2, 5, true);

-- ## a unique index over an expression
CREATE TABLE a (k int PRIMARY KEY, s text); CREATE UNIQUE INDEX i ON a (lower(s));
---
INSERT INTO a VALUES (1, 'A'), (2, 'a');

-- ## UNIQUE DEFERRABLE INITIALLY DEFERRED
CREATE TABLE a (k int PRIMARY KEY, x int UNIQUE DEFERRABLE INITIALLY DEFERRED);
---
INSERT INTO a VALUES (1, 5), (2, 6);
UPDATE a SET x = x + 1;

-- ## UNIQUE DEFERRABLE
CREATE TABLE a (k int PRIMARY KEY, x int UNIQUE DEFERRABLE);
---
INSERT INTO a VALUES (1, 5), (2, 6);
UPDATE a SET x = x + 1;

-- ## PRIMARY KEY DEFERRABLE
CREATE TABLE a (k int PRIMARY KEY DEFERRABLE INITIALLY DEFERRED, x int);
---
INSERT INTO a VALUES (1, 5), (2, 6);

-- ## NOT NULL
CREATE TABLE a (k int PRIMARY KEY, x int NOT NULL);
---
INSERT INTO a (k) VALUES (1);

-- ## CHECK of a row
CREATE TABLE a (k int PRIMARY KEY, x int CHECK (x > 0), y int, CHECK (x < y));
---
INSERT INTO a VALUES (1, 5, 4);

-- ## CHECK NOT VALID
CREATE TABLE a (k int PRIMARY KEY, x int); ALTER TABLE a ADD CHECK (x > 0) NOT VALID;
---
UPDATE a SET x = 5 WHERE k = 1;

-- ## CHECK that calls a function which reads tables
CREATE FUNCTION few() RETURNS boolean LANGUAGE sql AS 'SELECT count(*) < 10 FROM p'; CREATE TABLE a (k int PRIMARY KEY, x int CHECK (few()));
---
INSERT INTO a VALUES (1, 5);

-- ## REFERENCES
CREATE TABLE a (k int PRIMARY KEY, p int REFERENCES p);
---
INSERT INTO a VALUES (1, 2);
DELETE FROM p WHERE id = 2;

-- ## REFERENCES of several columns
CREATE TABLE q (x int, y int, PRIMARY KEY (x, y)); CREATE TABLE a (k int PRIMARY KEY, x int, y int, FOREIGN KEY (x, y) REFERENCES q);
---
INSERT INTO q VALUES (1, 2);
INSERT INTO a VALUES (1, 1, 2), (2, NULL, 3);

-- ## MATCH FULL
CREATE TABLE q (x int, y int, PRIMARY KEY (x, y)); CREATE TABLE a (k int PRIMARY KEY, x int, y int, FOREIGN KEY (x, y) REFERENCES q MATCH FULL);
---
INSERT INTO a VALUES (2, NULL, NULL);

-- ## a foreign key to the same table
CREATE TABLE a (k int PRIMARY KEY, up int REFERENCES a);
---
INSERT INTO a VALUES (1, NULL), (2, 1);
DELETE FROM a WHERE k = 1;

-- ## ON DELETE CASCADE
CREATE TABLE a (k int PRIMARY KEY, p int REFERENCES p ON DELETE CASCADE); INSERT INTO a VALUES (1, 1), (2, 1), (3, 2);
---
DELETE FROM p WHERE id = 1;

-- ## ON DELETE SET NULL
CREATE TABLE a (k int PRIMARY KEY, p int REFERENCES p ON DELETE SET NULL); INSERT INTO a VALUES (1, 1), (2, 1), (3, 2);
---
DELETE FROM p WHERE id = 1;

-- ## ON DELETE SET DEFAULT
CREATE TABLE a (k int PRIMARY KEY, p int DEFAULT 3 REFERENCES p ON DELETE SET DEFAULT); INSERT INTO a VALUES (1, 1), (2, 1), (3, 2);
---
DELETE FROM p WHERE id = 1;

-- ## two keys of a table with ON DELETE SET NULL
CREATE TABLE a (k int PRIMARY KEY, p int REFERENCES p ON DELETE SET NULL, q int REFERENCES p ON DELETE SET NULL); INSERT INTO a VALUES (1, 1, 1), (2, 1, 2), (3, 2, 1);
---
DELETE FROM p WHERE id = 1;

-- ## two keys of a table with ON DELETE CASCADE
CREATE TABLE a (k int PRIMARY KEY, p int REFERENCES p ON DELETE CASCADE, q int REFERENCES p ON DELETE CASCADE); INSERT INTO a VALUES (1, 1, 1), (2, 1, 2), (3, 2, 1);
---
DELETE FROM p WHERE id = 1;

-- ## a key with CASCADE and one with SET NULL
CREATE TABLE a (k int PRIMARY KEY, p int REFERENCES p ON DELETE CASCADE, q int REFERENCES p ON DELETE SET NULL); INSERT INTO a VALUES (1, 1, 1), (2, 1, 2), (3, 2, 1);
---
DELETE FROM p WHERE id = 1;

-- ## actions of two tables on one delete
CREATE TABLE a (k int PRIMARY KEY, p int REFERENCES p ON DELETE CASCADE); INSERT INTO a VALUES (1, 1), (3, 2); CREATE TABLE b (k int PRIMARY KEY, p int REFERENCES p ON DELETE SET NULL); INSERT INTO b VALUES (1, 1), (3, 2);
---
DELETE FROM p WHERE id = 1;

-- ## a cascade through two tables
CREATE TABLE a (k int PRIMARY KEY, p int REFERENCES p ON DELETE CASCADE); CREATE TABLE b (k int PRIMARY KEY, a int REFERENCES a ON DELETE CASCADE); INSERT INTO a VALUES (1, 1), (3, 2); INSERT INTO b VALUES (1, 1), (2, 3);
---
DELETE FROM p WHERE id = 1;

-- ## a cascade that reaches a table in two ways
CREATE TABLE a (k int PRIMARY KEY, p int REFERENCES p ON DELETE CASCADE); CREATE TABLE b (k int PRIMARY KEY, a int REFERENCES a ON DELETE CASCADE, p int REFERENCES p ON DELETE CASCADE); INSERT INTO a VALUES (1, 1), (3, 2); INSERT INTO b VALUES (1, 1, 2), (2, 3, 1);
---
DELETE FROM p WHERE id = 1;

-- ## a cascade in one table (a tree)
CREATE TABLE a (k int PRIMARY KEY, up int REFERENCES a ON DELETE CASCADE); INSERT INTO a VALUES (1, NULL), (2, 1), (3, 2);
---
DELETE FROM a WHERE k = 1;

-- ## a cascade, and a look at the children afterwards
CREATE TABLE a (k int PRIMARY KEY, p int REFERENCES p ON DELETE CASCADE); INSERT INTO a VALUES (1, 1), (3, 2);
---
DELETE FROM p WHERE id = 1;
SELECT count(*) FROM a;

-- ## ON UPDATE CASCADE
CREATE TABLE a (k int PRIMARY KEY, p int REFERENCES p ON UPDATE CASCADE); INSERT INTO a VALUES (1, 1), (3, 2);
---
UPDATE p SET id = 9 WHERE id = 1;

-- ## a foreign key DEFERRABLE INITIALLY DEFERRED
CREATE TABLE a (k int PRIMARY KEY, p int REFERENCES p DEFERRABLE INITIALLY DEFERRED);
---
INSERT INTO a VALUES (1, 9);
INSERT INTO p VALUES (9, 0);

-- ## a foreign key DEFERRABLE INITIALLY DEFERRED that nothing breaks
CREATE TABLE a (k int PRIMARY KEY, p int REFERENCES p DEFERRABLE INITIALLY DEFERRED);
---
INSERT INTO a VALUES (1, 1);

-- ## SET CONSTRAINTS
CREATE TABLE a (k int PRIMARY KEY, p int REFERENCES p DEFERRABLE);
---
SET CONSTRAINTS ALL DEFERRED;
INSERT INTO a VALUES (1, 1);

-- ## a foreign key NOT VALID
CREATE TABLE a (k int PRIMARY KEY, p int); ALTER TABLE a ADD FOREIGN KEY (p) REFERENCES p NOT VALID;
---
INSERT INTO a VALUES (1, 1);

-- ## EXCLUDE with =
CREATE TABLE a (k int PRIMARY KEY, x int, EXCLUDE (x WITH =));
---
INSERT INTO a VALUES (1, 5), (2, 6);

-- ## EXCLUDE of ranges
CREATE EXTENSION IF NOT EXISTS btree_gist; CREATE TABLE a (k int PRIMARY KEY, room int, f int, t int, EXCLUDE USING gist (room WITH =, int4range(f, t) WITH &&));
---
INSERT INTO a VALUES (1, 5, 1, 4), (2, 5, 4, 6);

-- ## EXCLUDE … WHERE
CREATE EXTENSION IF NOT EXISTS btree_gist; CREATE TABLE a (k int PRIMARY KEY, f int, t int, on_ boolean, EXCLUDE USING gist (int4range(f, t) WITH &&) WHERE (on_));
---
INSERT INTO a VALUES (1, 1, 4, true), (2, 2, 6, false);

-- ## EXCLUDE of a range column
CREATE TABLE a (k int PRIMARY KEY, r int4range, EXCLUDE USING gist (r WITH &&));
---
INSERT INTO a VALUES (1, '[1,4)'), (2, '[4,6)');

-- ## EXCLUDE DEFERRABLE INITIALLY DEFERRED
CREATE TABLE a (k int PRIMARY KEY, x int, EXCLUDE (x WITH =) DEFERRABLE INITIALLY DEFERRED);
---
INSERT INTO a VALUES (1, 5), (2, 6);

-- ## a default of constants
CREATE TABLE a (k int PRIMARY KEY, x int DEFAULT 5, s text DEFAULT 'a' || 'b');
---
INSERT INTO a (k) VALUES (1);

-- ## a default now()
CREATE TABLE a (k int PRIMARY KEY, t timestamptz DEFAULT now());
---
INSERT INTO a (k) VALUES (1);

-- ## a default gen_random_uuid()
CREATE TABLE a (k uuid PRIMARY KEY DEFAULT gen_random_uuid(), x int);
---
INSERT INTO a (x) VALUES (1);

-- ## serial
CREATE TABLE a (k serial PRIMARY KEY, x int);
---
INSERT INTO a (x) VALUES (1);

-- ## GENERATED ALWAYS AS IDENTITY
CREATE TABLE a (k int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, x int);
---
INSERT INTO a (x) VALUES (1);

-- ## OVERRIDING SYSTEM VALUE
CREATE TABLE a (k int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, x int);
---
INSERT INTO a OVERRIDING SYSTEM VALUE VALUES (7, 1);

-- ## GENERATED BY DEFAULT AS IDENTITY
CREATE TABLE a (k int GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, x int);
---
INSERT INTO a VALUES (7, 1);

-- ## a generated column
CREATE TABLE a (k int PRIMARY KEY, x int, y int GENERATED ALWAYS AS (x * 2) STORED);
---
INSERT INTO a VALUES (7, 1);
UPDATE a SET x = 5 WHERE k = 7 RETURNING y;

-- ## a column of a domain
CREATE DOMAIN positive AS int CHECK (VALUE > 0); CREATE TABLE a (k int PRIMARY KEY, x positive);
---
INSERT INTO a VALUES (7, 1);

-- ## varchar(n)
CREATE TABLE a (k int PRIMARY KEY, x varchar(3));
---
INSERT INTO a VALUES (7, 'abc');

-- ## numeric(p, s)
CREATE TABLE a (k int PRIMARY KEY, x numeric(5, 2));
---
INSERT INTO a VALUES (7, 1.234);

-- ## an UNLOGGED table
CREATE UNLOGGED TABLE a (k int PRIMARY KEY, x int);
---
INSERT INTO a VALUES (7, 1);

-- ## CREATE TABLE … (LIKE …)
CREATE TABLE a (LIKE p INCLUDING ALL, x int);
---
INSERT INTO a VALUES (7, 1, 2);

-- ## an index that is not unique
CREATE INDEX i ON p (n);
---
UPDATE p SET n = 5 WHERE id = 1;
