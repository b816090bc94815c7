CREATE TABLE rental (
  locker int PRIMARY KEY,
  tenant text NOT NULL
);

INSERT INTO rental VALUES (7, 'Hana');
