CREATE TABLE seat (id bigint PRIMARY KEY, flight bigint NOT NULL, passenger bigint);
CREATE TABLE passenger (id bigint PRIMARY KEY, changes bigint NOT NULL);
