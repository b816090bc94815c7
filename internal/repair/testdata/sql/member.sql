-- Who joins a group twice is a member once.
-- isolation: rc
-- want: on-conflict sign_up
-- want: unique-constraint member
CREATE TABLE member (id serial PRIMARY KEY, person int NOT NULL, team int NOT NULL);
INSERT INTO member (person, team) VALUES (1, 1), (1, 2);
CREATE FUNCTION sign_up(p int, g int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM member WHERE person = p AND team = g) THEN
    INSERT INTO member (person, team) VALUES (p, g);
  END IF;
END $$;
