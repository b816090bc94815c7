-- Expressions, types and casts
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE TYPE pair AS (x int, y text);
CREATE DOMAIN positive AS int CHECK (VALUE > 0);
CREATE TABLE a (k int PRIMARY KEY, v int, s text, d date, t timestamptz, m mood, n numeric(10,2), j jsonb, arr int[], u uuid, f float8, p pair, r int4range, c char(3), e interval, b bytea, ok boolean, ip inet);
INSERT INTO a VALUES (1, 10, 'Abc', '2024-03-01', '2024-03-01 10:00+00', 'ok', 12.50, '{"x": 1, "y": [1, 2]}', '{1,2}', '11111111-1111-1111-1111-111111111111', 1.5, (1, 'q'), '[1,5)', 'ab', '2 days', '\x01', true, '10.0.0.1');

-- ## arithmetic of integers
SELECT v + 1, v - 2, v * 3, v / 4, v % 3, -v FROM a;

-- ## arithmetic of numerics
SELECT n + 1, n * 2, n / 3, round(n / 3, 2) FROM a;

-- ## arithmetic of floats
SELECT f + 1, f * 2, sqrt(f) FROM a;

-- ## division that may be by zero
SELECT v / (k - 1) FROM a WHERE k > 1;

-- ## comparison
SELECT k FROM a WHERE v >= 10 AND v <> 11 AND s < 'b';

-- ## BETWEEN
SELECT k FROM a WHERE v BETWEEN 5 AND 15;

-- ## BETWEEN SYMMETRIC
SELECT k FROM a WHERE v BETWEEN SYMMETRIC 15 AND 5;

-- ## IN a list
SELECT k FROM a WHERE v IN (1, 10);

-- ## IS NULL, IS NOT NULL
SELECT k FROM a WHERE v IS NOT NULL AND s IS NULL;

-- ## IS DISTINCT FROM
SELECT k FROM a WHERE v IS DISTINCT FROM 11;

-- ## IS TRUE, IS UNKNOWN
SELECT ok IS TRUE, ok IS UNKNOWN FROM a;

-- ## AND, OR, NOT
SELECT k FROM a WHERE NOT (v > 20 OR s = 'x') AND ok;

-- ## CASE WHEN
SELECT CASE WHEN v > 5 THEN 'big' ELSE 'small' END FROM a;

-- ## CASE x WHEN
SELECT CASE v WHEN 10 THEN 'ten' END FROM a;

-- ## COALESCE
SELECT coalesce(v, 0) FROM a;

-- ## NULLIF
SELECT nullif(v, 10) FROM a;

-- ## GREATEST, LEAST
SELECT greatest(v, 11), least(v, 11) FROM a;

-- ## || of texts
SELECT s || '-' || v FROM a;

-- ## upper, lower, length, trim
SELECT upper(s), lower(s), length(s), trim(s) FROM a;

-- ## substring, position, replace, split_part
SELECT substring(s FROM 1 FOR 2), position('b' IN s), replace(s, 'b', 'd'), split_part('a-b', '-', 2) FROM a;

-- ## LIKE, ILIKE
SELECT k FROM a WHERE s LIKE 'A%' AND s ILIKE 'a_c';

-- ## SIMILAR TO
SELECT k FROM a WHERE s SIMILAR TO '(A|B)%';

-- ## ~ (regular expressions)
SELECT k FROM a WHERE s ~ '^A.c$';

-- ## regexp_replace
SELECT regexp_replace(s, 'b+', 'x') FROM a;

-- ## format
SELECT format('%s-%s', s, v) FROM a;

-- ## to_char
SELECT to_char(d, 'YYYY-MM-DD'), to_char(n, '999.99') FROM a;

-- ## md5
SELECT md5(s) FROM a;

-- ## a collation
SELECT k FROM a WHERE s COLLATE "C" < 'b';

-- ## now()
SELECT now() = now();

-- ## now() in a column
UPDATE a SET t = now() WHERE k = 1;

-- ## CURRENT_DATE
SELECT d < CURRENT_DATE FROM a;

-- ## clock_timestamp()
SELECT clock_timestamp() > t FROM a;

-- ## date arithmetic
SELECT d + 1, d - date '2024-01-01' FROM a;

-- ## timestamps and intervals
SELECT t + interval '1 day', t - e FROM a;

-- ## extract, date_trunc
SELECT extract(year FROM d), date_trunc('month', t) FROM a;

-- ## AT TIME ZONE
SELECT t AT TIME ZONE 'UTC' FROM a;

-- ## age
SELECT age(timestamp '2024-03-01', timestamp '2024-01-01');

-- ## OVERLAPS
SELECT (date '2024-01-01', date '2024-02-01') OVERLAPS (date '2024-01-15', date '2024-03-01');

-- ## x::type
SELECT v::text, '5'::int, v::numeric FROM a;

-- ## CAST(x AS type)
SELECT CAST(s AS varchar(2)) FROM a;

-- ## a cast of a text that is no number
SELECT s::int FROM a;

-- ## a cast to a domain
SELECT v::positive FROM a;

-- ## an enum
SELECT k FROM a WHERE m > 'sad' AND m = 'ok';

-- ## enum_range
SELECT enum_range(NULL::mood);

-- ## a composite value and its field
SELECT (p).x, (p).y FROM a;

-- ## ROW(…)
SELECT ROW(1, 'x')::pair;

-- ## comparison of rows
SELECT k FROM a WHERE (v, s) < (11, 'a');

-- ## a field of a composite column in SET
UPDATE a SET p.x = 5 WHERE k = 1;

-- ## ARRAY[…]
SELECT ARRAY[v, 1] FROM a;

-- ## an element of an array
SELECT arr[1] FROM a;

-- ## a slice of an array
SELECT arr[1:1] FROM a;

-- ## = ANY(array)
SELECT k FROM a WHERE v = ANY(ARRAY[1, 10]);

-- ## = ANY of an array column
SELECT k FROM a WHERE 2 = ANY(arr);

-- ## <> ALL(array)
SELECT k FROM a WHERE v <> ALL(ARRAY[1, 2]);

-- ## array_length, cardinality
SELECT array_length(arr, 1), cardinality(arr) FROM a;

-- ## array_append, array_remove
UPDATE a SET arr = array_append(arr, 3) WHERE k = 1;

-- ## @>, && of arrays
SELECT k FROM a WHERE arr @> ARRAY[1] AND arr && ARRAY[2, 3];

-- ## an element of an array in SET
UPDATE a SET arr[1] = 7 WHERE k = 1;

-- ## -> and ->> of json
SELECT j -> 'x', j ->> 'x' FROM a;

-- ## #>> of json
SELECT j #>> '{y,0}' FROM a;

-- ## @> of jsonb
SELECT k FROM a WHERE j @> '{"x": 1}';

-- ## ? of jsonb
SELECT k FROM a WHERE j ? 'x';

-- ## || and - of jsonb
SELECT j || '{"z": 3}', j - 'x' FROM a;

-- ## jsonb_set
UPDATE a SET j = jsonb_set(j, '{x}', '5') WHERE k = 1;

-- ## json['key'] in SET
UPDATE a SET j['x'] = '9' WHERE k = 1;

-- ## jsonb_build_object
SELECT jsonb_build_object('k', k, 's', s) FROM a;

-- ## json as jsonb
SELECT (SELECT json_agg(v) FROM a WHERE k = 2)::jsonb AS one, json_build_object('b', v, 'a', s)::jsonb FROM a;

-- ## to_jsonb of a row
SELECT to_jsonb(x) FROM (SELECT k, s FROM a) x;

-- ## row_to_json
SELECT row_to_json(x) FROM (SELECT k, s FROM a) x;

-- ## jsonb_path_exists
SELECT jsonb_path_exists(j, '$.y[*] ? (@ > 1)') FROM a;

-- ## a range and its bounds
SELECT lower(r), upper(r) FROM a;

-- ## @> and && of ranges
SELECT k FROM a WHERE r @> 3 AND r && int4range(4, 8);

-- ## a multirange
SELECT '{[1,3)}'::int4multirange @> 2;

-- ## gen_random_uuid()
UPDATE a SET u = gen_random_uuid() WHERE k = 1;

-- ## random()
UPDATE a SET f = random() WHERE k = 1;

-- ## uuid
SELECT k FROM a WHERE u = '11111111-1111-1111-1111-111111111111';

-- ## char(n)
SELECT k FROM a WHERE c = 'ab';

-- ## bytea
SELECT encode(b, 'hex') FROM a;

-- ## inet
SELECT ip << '10.0.0.0/8' FROM a;

-- ## full text search
SELECT k FROM a WHERE to_tsvector('simple', s) @@ to_tsquery('simple', 'abc');

-- ## xml
SELECT xmlelement(name x, s) FROM a;

-- ## pg_typeof
SELECT pg_typeof(v) FROM a;

-- ## current_user
SELECT current_user = session_user;

-- ## current_setting
SELECT current_setting('app.tenant', true);

-- ## nextval
CREATE SEQUENCE q;
---
INSERT INTO a (k) SELECT nextval('q');

-- ## currval and lastval
CREATE SEQUENCE q;
---
SELECT nextval('q') > 0;
SELECT currval('q') > 0;

-- ## setval
CREATE SEQUENCE q;
---
SELECT setval('q', 100);

-- ## a sequence read as a table
CREATE SEQUENCE q;
---
SELECT is_called FROM q;

-- ## ctid
SELECT v FROM a WHERE ctid = '(0,1)';

-- ## xmin
SELECT xmin::text <> '' FROM a;

-- ## tableoid
SELECT tableoid::regclass FROM a;

-- ## a query of information_schema
SELECT count(*) > 0 FROM information_schema.tables;

-- ## a query of pg_stat_activity
SELECT count(*) > 0 FROM pg_stat_activity;

-- ## a function in SQL, in an expression
CREATE FUNCTION twice(x int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT x * 2';
---
SELECT twice(v) FROM a;

-- ## a function in PL/pgSQL, for each row
CREATE FUNCTION twice(x int) RETURNS int LANGUAGE plpgsql AS 'BEGIN RETURN x * 2; END';
---
SELECT twice(v) FROM a;

-- ## a function in PL/pgSQL that looks at the clock, for each row
CREATE FUNCTION later(x date) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN RETURN x < CURRENT_DATE; END';
---
SELECT later(d) FROM a;

-- ## a function in PL/pgSQL that reads a table, for each row
CREATE FUNCTION of_row(x int) RETURNS int LANGUAGE plpgsql STABLE AS 'BEGIN RETURN (SELECT v FROM a WHERE k = x); END';
---
SELECT of_row(k) FROM a;

-- ## named and default arguments
CREATE FUNCTION add(x int, y int DEFAULT 5) RETURNS int LANGUAGE sql AS 'SELECT x + y';
---
SELECT add(y => 1, x => v), add(v) FROM a;

-- ## VARIADIC
CREATE FUNCTION add(VARIADIC x int[]) RETURNS bigint LANGUAGE sql AS 'SELECT sum(e) FROM unnest(x) e';
---
SELECT add(1, 2, 3);

-- ## VARIADIC behind another parameter, in a call with an array, and with elements to convert
CREATE FUNCTION plus(y bigint, VARIADIC x bigint[]) RETURNS bigint LANGUAGE plpgsql AS 'BEGIN RETURN y + cardinality(x) + x[1]; END';
---
SELECT plus(1, 2, 3::smallint), plus(1, VARIADIC ARRAY[7, 8]::bigint[]);

-- ## VARIADIC without elements
CREATE FUNCTION many(VARIADIC x int[] DEFAULT '{}') RETURNS int LANGUAGE sql AS 'SELECT cardinality(x)';
---
SELECT many();

-- ## VARIADIC in a function that writes rows by their keys
CREATE FUNCTION raise_all(n int, VARIADIC ks int[]) RETURNS void LANGUAGE sql AS 'UPDATE a SET v = v + n WHERE k = ANY(ks)';
---
SELECT raise_all(1, 1, 2);

-- ## a declared operator
CREATE FUNCTION near(x int, y int) RETURNS boolean LANGUAGE sql AS 'SELECT abs(x - y) < 2';
CREATE OPERATOR ~~~ (LEFTARG = int, RIGHTARG = int, FUNCTION = near);
---
SELECT k FROM a WHERE v ~~~ 9;

-- ## a declared aggregate
CREATE AGGREGATE total (int) (SFUNC = int4pl, STYPE = int, INITCOND = '0');
---
SELECT total(v) FROM a;
