-- Cursors.
CREATE FUNCTION cursor_for(p int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  m int := p - 1;
  c CURSOR FOR SELECT k, x FROM a WHERE y > m ORDER BY k;
  n int := 0;
BEGIN
  m := 1;
  FOR r IN c LOOP
    n := n * 10 + r.k;
    UPDATE a SET y = 0, x = n WHERE k > r.k;
    INSERT INTO a (k) VALUES (r.k + 20);
  END LOOP;
  IF FOUND THEN RETURN n; END IF;
  RETURN -1;
END $$;

CREATE FUNCTION cursor_fetch(p int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  c CURSOR FOR SELECT k, j, v FROM b WHERE v >= p ORDER BY k, j;
  r record; n int := 0; found_inside boolean;
BEGIN
  OPEN c;
  LOOP
    FETCH c INTO r;
    EXIT WHEN NOT FOUND;
    found_inside := FOUND;
    CONTINUE WHEN r.v = 2;
    n := n + r.k * 10 + r.j;
    UPDATE b SET v = n WHERE k = r.k;
  END LOOP;
  CLOSE c;
  IF FOUND THEN n := -1; END IF;
  RETURN concat(n, CASE WHEN found_inside THEN 'y' END, r.k);
END $$;

CREATE FUNCTION cursor_into(p int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  v int := 7; w int; n int := 0;
  c NO SCROLL CURSOR FOR SELECT x, y FROM a WHERE k <= p ORDER BY k;
BEGIN
  OPEN c;
  <<rows>>
  LOOP
    FETCH NEXT FROM c INTO v, w;
    EXIT rows WHEN NOT FOUND;
    FOR i IN 1..w LOOP
      EXIT WHEN i > 2;
      n := n + 1;
    END LOOP;
    n := n * 2 + COALESCE(v, 1);
  END LOOP;
  CLOSE c;
  RETURN n + COALESCE(v, 1000);
END $$;

CREATE FUNCTION cursor_current(p int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE c CURSOR FOR SELECT * FROM b WHERE v >= p FOR UPDATE;
BEGIN
  FOR r IN c LOOP
    UPDATE b SET v = r.v + 1 WHERE CURRENT OF c;
    UPDATE b SET v = v * 2 WHERE CURRENT OF c;
    IF r.j = 3 THEN DELETE FROM b WHERE CURRENT OF c; END IF;
    UPDATE b SET v = v + 3 WHERE CURRENT OF c;
  END LOOP;
END $$;

CREATE FUNCTION cursor_join(p int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE c CURSOR FOR SELECT a.k, b.j, y FROM a JOIN b ON a.k = b.k WHERE v >= p ORDER BY a.k, j;
  r record;
BEGIN
  OPEN c;
  LOOP
    FETCH c INTO r;
    EXIT WHEN NOT FOUND;
    UPDATE b SET v = r.y WHERE k = r.k AND j = r.j;
    UPDATE a SET x = r.j, y = y + 1 WHERE a.k = r.k;
  END LOOP;
  CLOSE c;
END $$;

CREATE FUNCTION cursor_twice(p int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE c CURSOR FOR SELECT k FROM a WHERE x = p ORDER BY k FOR UPDATE; n int := 0;
BEGIN
  FOR i IN 1..2 LOOP
    FOR r IN c LOOP
      UPDATE a SET x = p + 1, y = y + 1 WHERE k = r.k;
      n := n + 1;
    END LOOP;
  END LOOP;
  RETURN n;
END $$;

CREATE FUNCTION cursor_one(p int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE c CURSOR FOR SELECT k, x FROM a WHERE y > p AND k = p LIMIT 1;
  d CURSOR FOR SELECT max(k) AS m, count(*) AS n FROM a GROUP BY y ORDER BY 1;
  n int := 0;
BEGIN
  FOR r IN c LOOP
    UPDATE a SET x = 8 WHERE CURRENT OF c;
    n := r.k;
  END LOOP;
  FOR r IN d LOOP
    n := n * 10 + r.m + r.n;
  END LOOP;
  RETURN n;
END $$;

CREATE FUNCTION skip_cursor(p int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE c CURSOR FOR SELECT k, x FROM a WHERE y >= p FOR UPDATE SKIP LOCKED;
BEGIN
  FOR r IN c LOOP
    UPDATE a SET x = r.k + 5 WHERE CURRENT OF c;
  END LOOP;
END $$;
