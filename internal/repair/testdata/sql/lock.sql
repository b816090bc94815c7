-- A lock is taken by who finds it free, and given back by who has it.
-- isolation: rc
-- want: for-update take
CREATE TABLE lease (id int PRIMARY KEY, holder int);
INSERT INTO lease VALUES (1, NULL), (2, 2);
CREATE FUNCTION take(l int, me int) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE h int;
BEGIN
  SELECT holder INTO h FROM lease WHERE id = l;
  IF h IS NULL THEN
    UPDATE lease SET holder = me WHERE id = l;
    RETURN true;
  ELSE
    RETURN false;
  END IF;
END $$;
CREATE FUNCTION give_back(l int, me int) RETURNS void LANGUAGE sql AS $$
  UPDATE lease SET holder = NULL WHERE id = l AND holder = me;
$$;
