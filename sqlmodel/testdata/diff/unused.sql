-- Queries that may fail, of which nobody uses the rows.
CREATE FUNCTION u_having(p int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN PERFORM 1 FROM a WHERE y = p HAVING 1 / (count(*) - 1) IS NOT NULL; RETURN 1; END $$;
CREATE FUNCTION u_group(p int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN PERFORM x, 6 / y FROM a WHERE k <> p GROUP BY x, y; RETURN 1; END $$;
CREATE FUNCTION u_group_having(p int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN PERFORM x FROM a GROUP BY x HAVING p / (count(*) - 2) > 0; RETURN 1; END $$;
CREATE FUNCTION u_filter(p int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN PERFORM 1 / (count(*) FILTER (WHERE y = p) - 1) FROM a GROUP BY s; RETURN 1; END $$;
CREATE FUNCTION u_argument() RETURNS int LANGUAGE plpgsql AS $$ BEGIN PERFORM x, sum(2 / y) FROM a GROUP BY x; RETURN 1; END $$;
CREATE FUNCTION u_outer() RETURNS int LANGUAGE plpgsql AS $$ BEGIN PERFORM 1 / b.v FROM a LEFT JOIN b ON b.k = a.k; RETURN 1; END $$;
CREATE FUNCTION u_order() RETURNS int LANGUAGE plpgsql AS $$ BEGIN PERFORM count(*) FROM a GROUP BY x ORDER BY 1 / (count(*) - 2); RETURN 1; END $$;
CREATE FUNCTION u_second(p int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN PERFORM (SELECT k FROM a WHERE y = p UNION ALL SELECT j FROM b WHERE v = p); RETURN 1; END $$;
CREATE FUNCTION u_second_used(p int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN coalesce((SELECT x FROM a GROUP BY x HAVING count(*) > p), 7); END $$;
