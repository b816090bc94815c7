-- A unique index on an expression, beside a trigger BEFORE UPDATE.
CREATE TABLE t (k int PRIMARY KEY, d text);
CREATE UNIQUE INDEX u ON t (lower(d));
CREATE TABLE p (k int PRIMARY KEY, d text UNIQUE);
CREATE FUNCTION change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.d := NEW.d || 'X'; RETURN NEW; END $$;
CREATE TRIGGER tr BEFORE UPDATE ON t FOR EACH ROW EXECUTE FUNCTION change();
CREATE TRIGGER tr BEFORE UPDATE ON p FOR EACH ROW EXECUTE FUNCTION change();
CREATE FUNCTION on_expression(s text) RETURNS void LANGUAGE sql AS $$ UPDATE t SET d = s WHERE k = 1 $$;
CREATE FUNCTION on_column(s text) RETURNS void LANGUAGE sql AS $$ UPDATE p SET d = s WHERE k = 1 $$;
-- rows
INSERT INTO t VALUES (1, 'a'), (2, 'bx');
INSERT INTO p VALUES (1, 'a'), (2, 'bX');
-- calls
SELECT * FROM on_expression('c');
SELECT * FROM on_expression('B'); -- aborts
SELECT * FROM on_column('c');
SELECT * FROM on_column('b'); -- aborts
