CREATE TABLE member (id bigint PRIMARY KEY, name text NOT NULL UNIQUE, email text NOT NULL);
