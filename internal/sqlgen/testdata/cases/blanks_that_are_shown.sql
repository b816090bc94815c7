-- What shows the blanks at the end of char(n), and what does not; ARRAY[…] of literals is an array of texts.
CREATE TABLE t (k int PRIMARY KEY, c char(3), x text);
CREATE FUNCTION together(p int) RETURNS text LANGUAGE sql AS $$ SELECT concat(c, 'x') FROM t WHERE k = p $$;
CREATE FUNCTION appended(p int) RETURNS text LANGUAGE sql AS $$ SELECT c || 'x' FROM t WHERE k = p $$;
CREATE FUNCTION among_texts(p int) RETURNS bool LANGUAGE sql AS $$ SELECT c = ANY(ARRAY['a ', 'c']) FROM t WHERE k = p $$;
CREATE FUNCTION in_list(p int) RETURNS bool LANGUAGE sql AS $$ SELECT c IN ('a ', 'c') FROM t WHERE k = p $$;
CREATE FUNCTION is_like(p int) RETURNS bool LANGUAGE sql AS $$ SELECT c LIKE 'a' FROM t WHERE k = p $$;
CREATE FUNCTION is_not_like(p int) RETURNS bool LANGUAGE sql AS $$ SELECT c NOT LIKE 'a%' FROM t WHERE k = p $$;
CREATE FUNCTION bytes(p int) RETURNS int LANGUAGE sql AS $$ SELECT octet_length(c) FROM t WHERE k = p $$;
-- rows
INSERT INTO t VALUES (1, 'a', 'a'), (2, 'abc', 'b'), (3, NULL, NULL);
-- calls
SELECT * FROM together(1);
SELECT * FROM together(2);
SELECT * FROM together(3);
SELECT * FROM appended(1);
SELECT * FROM among_texts(1);
SELECT * FROM among_texts(2);
SELECT * FROM in_list(1);
SELECT * FROM is_like(1);
SELECT * FROM is_like(2);
SELECT * FROM is_not_like(1);
SELECT * FROM is_not_like(3);
SELECT * FROM bytes(1);
