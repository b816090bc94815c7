CREATE TABLE member (id bigint PRIMARY KEY, name text NOT NULL, email text NOT NULL);
