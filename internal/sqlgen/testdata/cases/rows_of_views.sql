-- The rows of a view are a type: of variables, of parameters and of results.
CREATE TABLE rooms (id int PRIMARY KEY, beds int NOT NULL, price numeric(6,2));
CREATE VIEW occupancy AS SELECT id, beds, beds * 2 AS twice, price FROM rooms;
CREATE FUNCTION check_in(p int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE o occupancy%ROWTYPE; q occupancy; t occupancy.twice%TYPE;
BEGIN
  SELECT * INTO o FROM occupancy WHERE id = p;
  SELECT 1, 2, 3, 4.567 INTO q;
  t := o.twice;
  UPDATE rooms SET beds = o.beds + q.beds + coalesce(t, 0), price = q.price WHERE id = p;
  RETURN coalesce(o.beds, -1) || ' ' || q.twice;
END $$;
CREATE FUNCTION all_of() RETURNS SETOF occupancy LANGUAGE sql AS $$ SELECT * FROM occupancy ORDER BY id $$;
CREATE FUNCTION sum_of(p int) RETURNS int LANGUAGE plpgsql AS $$ DECLARE r record; n int := 0; BEGIN
  FOR r IN SELECT * FROM all_of() LOOP n := n + r.twice; END LOOP;
  UPDATE rooms SET beds = n WHERE id = p;
  RETURN n;
END $$;
-- rows
INSERT INTO rooms VALUES (1, 2, 10), (2, 5, NULL);
-- calls
SELECT * FROM check_in(1);
SELECT * FROM check_in(7);
SELECT * FROM sum_of(2);
