-- PlayList with one more transaction, that deletes a track.
-- Source: the open-source program playlist (UserDAO, PlaylistDAO, TracksDAO,
-- ArtistsDAO), as modelled in CAV 2019, appendix F.
-- Delete_track is not in the original.
--
-- Expected: robust. Add_track_to_playlist may miss that its track is deleted, and
-- the user's playlists may be read before it commits; but nothing orders that
-- deletion before that reading. A proof must follow the same user and the
-- same track through the chain.

CREATE TABLE users (
  username text PRIMARY KEY,
  password text,
  playlist_names text[] NOT NULL,
  playlist_tracks jsonb NOT NULL
);

CREATE TABLE tracks (
  track_id uuid PRIMARY KEY,
  track text,
  artist text,
  genre text,
  track_length int,
  music_file text
);

CREATE TABLE artists (
  first_letter text,
  artist text,
  PRIMARY KEY (first_letter, artist)
);
