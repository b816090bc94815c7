-- PlayList: music tracks, and the playlists of users, kept in the user's row.
-- Source: the open-source program playlist (UserDAO, PlaylistDAO, TracksDAO,
-- ArtistsDAO), as modelled in CAV 2019, appendix F.
--
-- Expected: robust. Tracks and artists are never changed or deleted, and what
-- writes a user reads nothing else that changes.

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
