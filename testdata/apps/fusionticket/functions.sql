-- The transactions; schema.sql says what they are and what is expected of them.

-- fresh: p_e_id
CREATE FUNCTION add_event(p_e_id int, p_venue text, p_tickets int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO events (e_id, venue, tickets) VALUES (p_e_id, p_venue, p_tickets);
END
$$;

CREATE FUNCTION view_event(p_e_id int) RETURNS TABLE (venue text, tickets int) LANGUAGE sql AS $$
  SELECT events.venue, events.tickets FROM events WHERE events.e_id = p_e_id;
$$;

CREATE FUNCTION browse(p_venue text) RETURNS TABLE (e_id int, tickets int) LANGUAGE sql AS $$
  SELECT events.e_id, events.tickets FROM events WHERE events.venue = p_venue;
$$;

CREATE FUNCTION purchase(p_e_id int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_tickets int;
BEGIN
  SELECT tickets INTO v_tickets FROM events WHERE e_id = p_e_id;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'no event %', p_e_id;
  END IF;
  IF v_tickets < 1 THEN
    RAISE EXCEPTION 'event % is sold out', p_e_id;
  END IF;
  UPDATE events SET tickets = v_tickets - 1 WHERE e_id = p_e_id;
END
$$;
