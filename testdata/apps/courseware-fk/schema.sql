-- Courseware, repaired by a foreign key from enrolled to course.
-- Source: Gotsman, Yang, Ferreira, Najafzadeh, Shapiro, "'Cause I'm strong enough"
-- (POPL 2016); CAV 2019, appendix F.
--
-- Expected: robust on PostgreSQL. Inserting a child and deleting its parent never
-- both commit, whatever the order.

CREATE TABLE student (
  s_id int PRIMARY KEY,
  s_name text
);

CREATE TABLE course (
  c_id int PRIMARY KEY,
  c_name text
);

CREATE TABLE enrolled (
  s_id int,
  c_id int REFERENCES course (c_id),
  PRIMARY KEY (s_id, c_id)
);
