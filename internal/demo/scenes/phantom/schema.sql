CREATE TABLE room (
  name     text PRIMARY KEY,
  bookings int NOT NULL
);

CREATE TABLE booking (
  room   text NOT NULL REFERENCES room,
  starts int NOT NULL,
  ends   int NOT NULL,
  guest  text NOT NULL,
  PRIMARY KEY (room, starts),
  CHECK (starts < ends)
);

INSERT INTO room VALUES ('Blue', 0);
