CREATE TABLE note (id bigint PRIMARY KEY, slug text NOT NULL UNIQUE);
