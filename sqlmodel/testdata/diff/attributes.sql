-- Functions of rows, written as fields of these. Those that take rows are not run by themselves.
CREATE TYPE pair AS (m int, n int);
CREATE FUNCTION total(r a) RETURNS int LANGUAGE sql AS $$ SELECT r.x + r.y $$;
CREATE FUNCTION large(r a) RETURNS boolean LANGUAGE sql AS $$ SELECT r.total > 3 OR r.x IS NULL $$;
CREATE FUNCTION others(r a) RETURNS bigint LANGUAGE plpgsql STABLE AS $$ BEGIN RETURN (SELECT count(*) FROM b WHERE b.k = r.k); END $$;
CREATE FUNCTION x(r b) RETURNS int LANGUAGE sql AS $$ SELECT r.v $$;
CREATE FUNCTION y(r a) RETURNS int LANGUAGE sql AS $$ SELECT 100 $$; -- a has a column y

CREATE FUNCTION at_select(p int) RETURNS TABLE (m int, n int) LANGUAGE sql AS $$ SELECT a.total, total(r) FROM a JOIN a r ON r.k = a.k WHERE a.k = p $$;
CREATE FUNCTION at_where(p int) RETURNS TABLE (m int) LANGUAGE sql AS $$ SELECT r.k FROM a r WHERE r.large AND NOT (r).total = p ORDER BY k $$;
CREATE FUNCTION at_order() RETURNS TABLE (m int) LANGUAGE sql AS $$ SELECT r.k FROM a r ORDER BY r.total, r.k $$;
CREATE FUNCTION at_star(p int) RETURNS int LANGUAGE sql AS $$ SELECT total(r.*) FROM a r WHERE k = p $$;
CREATE FUNCTION at_group() RETURNS TABLE (m int, n bigint) LANGUAGE sql AS $$ SELECT r.total, count(*) FROM a r GROUP BY r.total ORDER BY 1 $$;
CREATE FUNCTION at_outer() RETURNS TABLE (m int, n int) LANGUAGE sql AS $$ SELECT b.k, r.total FROM b LEFT JOIN a r ON r.k = b.j ORDER BY b.k, b.j $$;
CREATE FUNCTION at_column(p int) RETURNS TABLE (m int, n int) LANGUAGE sql AS $$ SELECT r.y, b.x FROM a r JOIN b ON b.k = r.k WHERE r.k = p ORDER BY b.j $$;
CREATE FUNCTION at_returning(p int) RETURNS int LANGUAGE sql AS $$ UPDATE a SET x = p WHERE k = 1 RETURNING a.total $$;
CREATE FUNCTION at_set(p int) RETURNS void LANGUAGE sql AS $$ UPDATE a SET x = (a).total WHERE a.large AND k = p $$;
CREATE FUNCTION at_delete() RETURNS void LANGUAGE sql AS $$ DELETE FROM b WHERE b.x = 1 $$;
CREATE FUNCTION at_record(p int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE r a; any record;
BEGIN
  SELECT * INTO r FROM a WHERE k = p;
  IF (r).large THEN RETURN 'large ' || (r).others || r.y; END IF;
  SELECT * INTO any FROM b WHERE k = p ORDER BY j LIMIT 1;
  RETURN (r).total;
END $$;
