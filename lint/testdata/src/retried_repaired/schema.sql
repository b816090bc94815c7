CREATE TABLE locker (id bigint PRIMARY KEY, floor bigint NOT NULL, owner text);
CREATE TABLE owner (name text PRIMARY KEY, lockers bigint NOT NULL);
