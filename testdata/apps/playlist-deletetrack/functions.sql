-- The transactions; schema.sql says what they are and what is expected of them.

-- fresh: p_id
CREATE FUNCTION add_track(p_id uuid, p_track text, p_artist text, p_genre text, p_length int, p_file text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO artists (first_letter, artist) VALUES (upper(left(p_artist, 1)), p_artist) ON CONFLICT DO NOTHING;
  INSERT INTO tracks (track_id, track, artist, genre, track_length, music_file)
    VALUES (p_id, p_track, p_artist, p_genre, p_length, p_file);
END
$$;

CREATE FUNCTION get_track(p_id uuid) RETURNS SETOF tracks LANGUAGE sql AS $$
  SELECT * FROM tracks WHERE track_id = p_id;
$$;

CREATE FUNCTION list_artist_by_letter(p_letter text) RETURNS SETOF text LANGUAGE sql AS $$
  SELECT artist FROM artists WHERE first_letter = p_letter;
$$;

CREATE FUNCTION list_songs_by_artist(p_artist text) RETURNS SETOF tracks LANGUAGE sql AS $$
  SELECT * FROM tracks WHERE artist = p_artist;
$$;

CREATE FUNCTION list_songs_by_genre(p_genre text, p_n int) RETURNS SETOF tracks LANGUAGE sql AS $$
  SELECT * FROM tracks WHERE genre = p_genre ORDER BY track_id LIMIT p_n;
$$;

CREATE FUNCTION add_user(p_user text, p_password text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO users (username, password, playlist_names, playlist_tracks) VALUES (p_user, p_password, '{}', '{}');
END
$$;

CREATE FUNCTION get_user(p_user text) RETURNS SETOF users LANGUAGE sql AS $$
  SELECT * FROM users WHERE username = p_user;
$$;

CREATE FUNCTION delete_user(p_user text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM users WHERE username = p_user;
END
$$;

CREATE FUNCTION create_play_list(p_user text, p_list text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE users SET playlist_names = playlist_names || p_list WHERE username = p_user;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'no user %', p_user;
  END IF;
END
$$;

CREATE FUNCTION get_playlist_names(p_user text) RETURNS text[] LANGUAGE sql AS $$
  SELECT playlist_names FROM users WHERE username = p_user;
$$;

CREATE FUNCTION get_playlist_for_user(p_user text, p_list text) RETURNS jsonb LANGUAGE sql AS $$
  SELECT playlist_tracks -> p_list FROM users WHERE username = p_user;
$$;

CREATE FUNCTION add_track_to_playlist(p_user text, p_list text, p_id uuid) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_track text;
  v_names text[];
  v_tracks jsonb;
BEGIN
  SELECT track INTO v_track FROM tracks WHERE track_id = p_id;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'no track %', p_id;
  END IF;
  SELECT playlist_names, playlist_tracks INTO v_names, v_tracks FROM users WHERE username = p_user;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'no user %', p_user;
  END IF;
  IF NOT p_list = ANY (v_names) THEN
    RAISE EXCEPTION 'user % has no playlist %', p_user, p_list;
  END IF;
  UPDATE users
    SET playlist_tracks = v_tracks || jsonb_build_object(p_list, COALESCE(v_tracks -> p_list, '[]') || to_jsonb(v_track))
    WHERE username = p_user;
END
$$;

CREATE FUNCTION delete_track_from_playlist(p_user text, p_list text, p_seq int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE users
    SET playlist_tracks = playlist_tracks || jsonb_build_object(p_list, (playlist_tracks -> p_list) - p_seq)
    WHERE username = p_user;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'no user %', p_user;
  END IF;
END
$$;

CREATE FUNCTION delete_play_list_for_user(p_user text, p_list text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE users
    SET playlist_names = array_remove(playlist_names, p_list), playlist_tracks = playlist_tracks - p_list
    WHERE username = p_user;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'no user %', p_user;
  END IF;
END
$$;

CREATE FUNCTION delete_track(p_id uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM tracks WHERE track_id = p_id;
END
$$;
