CREATE TABLE rental (
  locker int PRIMARY KEY,
  tenant text
);

INSERT INTO rental VALUES (7, 'Hana');
