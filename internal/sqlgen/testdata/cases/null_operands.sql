-- An operator of which an operand is the constant NULL is NULL, whatever the other one is.
CREATE TABLE a (k int PRIMARY KEY, d date, n int);
CREATE FUNCTION days() RETURNS int LANGUAGE sql AS $$ SELECT NULL::date - d FROM a WHERE k = 1 $$;
CREATE FUNCTION later() RETURNS date LANGUAGE sql AS $$ SELECT d + NULL::int FROM a WHERE k = 1 $$;
CREATE FUNCTION insert_days() RETURNS void LANGUAGE plpgsql AS $$
BEGIN INSERT INTO a VALUES (2, NULL, NULL::date - '2024-01-01'::date); END $$;
CREATE FUNCTION never_divides() RETURNS int LANGUAGE sql AS $$ SELECT n / (n - n) + NULL::int FROM a WHERE k = 1 $$;
CREATE FUNCTION divides() RETURNS int LANGUAGE sql AS $$ SELECT n / (n - n) + 1 FROM a WHERE k = 1 $$;
CREATE FUNCTION same() RETURNS boolean LANGUAGE sql AS $$ SELECT d IS DISTINCT FROM NULL FROM a WHERE k = 1 $$;
-- rows
INSERT INTO a VALUES (1, '2024-01-01', 3);
-- calls
SELECT * FROM days();
SELECT * FROM later();
SELECT * FROM insert_days();
SELECT * FROM never_divides();
SELECT * FROM divides(); -- aborts
SELECT * FROM same();
