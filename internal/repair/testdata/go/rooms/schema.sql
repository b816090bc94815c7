CREATE TABLE booking (id serial PRIMARY KEY, room int NOT NULL, guest int NOT NULL);
INSERT INTO booking (room, guest) VALUES (1, 1), (2, 1);
