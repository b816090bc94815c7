-- The transactions; schema.sql says what they are and what is expected of them.

CREATE FUNCTION add_message(p_day date, p_channel text, p_time timestamp, p_usr text, p_message text, p_words text[])
    RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_word text;
BEGIN
  INSERT INTO messages (day, channel, date_time, usr, message) VALUES (p_day, p_channel, p_time, p_usr, p_message);
  INSERT INTO users (usr, channel, last_seen_day, last_seen_date_time) VALUES (p_usr, p_channel, p_day, p_time)
    ON CONFLICT (usr, channel) DO UPDATE
    SET last_seen_day = excluded.last_seen_day, last_seen_date_time = excluded.last_seen_date_time;
  FOREACH v_word IN ARRAY p_words LOOP
    INSERT INTO topics (channel, word, date_time, usr) VALUES (p_channel, v_word, p_time, p_usr)
      ON CONFLICT (channel, word, date_time) DO UPDATE SET usr = excluded.usr;
    INSERT INTO topic_counters (prefix, word, count) VALUES (left(v_word, 1), v_word, 1)
      ON CONFLICT (prefix, word) DO UPDATE SET count = topic_counters.count + 1;
  END LOOP;
END
$$;

CREATE FUNCTION get_last_message(p_channel text, p_usr text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  v_day date;
  v_time timestamp;
  v_message text;
BEGIN
  SELECT last_seen_day, last_seen_date_time INTO v_day, v_time FROM users WHERE usr = p_usr AND channel = p_channel;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  SELECT message INTO v_message FROM messages
    WHERE day = v_day AND channel = p_channel AND date_time = v_time AND usr = p_usr;
  RETURN v_message;
END
$$;

CREATE FUNCTION get_messages(p_channel text, p_day date) RETURNS TABLE (usr text, date_time timestamp, message text) LANGUAGE sql AS $$
  SELECT m.usr, m.date_time, m.message FROM messages m WHERE m.day = p_day AND m.channel = p_channel;
$$;

CREATE FUNCTION get_specific_message(p_day date, p_channel text, p_time timestamp) RETURNS TABLE (message text, usr text) LANGUAGE sql AS $$
  SELECT m.message, m.usr FROM messages m WHERE m.day = p_day AND m.channel = p_channel AND m.date_time = p_time;
$$;

CREATE FUNCTION get_topic_messages(p_channel text, p_word text) RETURNS TABLE (message text, usr text) LANGUAGE sql AS $$
  SELECT m.message, m.usr
    FROM topics t JOIN messages m ON m.day = t.date_time::date AND m.channel = t.channel AND m.date_time = t.date_time
    WHERE t.channel = p_channel AND t.word = p_word;
$$;
