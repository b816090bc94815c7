CREATE TABLE room (id bigint PRIMARY KEY, beds bigint NOT NULL, changes bigint NOT NULL, closed boolean NOT NULL);
CREATE TABLE guest (id bigint PRIMARY KEY, room bigint NOT NULL, name text NOT NULL);
