CREATE TABLE account (
    id integer PRIMARY KEY,
    owner integer NOT NULL,
    balance integer NOT NULL
);
