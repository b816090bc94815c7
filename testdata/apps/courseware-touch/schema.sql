-- Courseware, repaired by an identity UPDATE of the course row in enroll_student.
-- Source: Gotsman, Yang, Ferreira, Najafzadeh, Shapiro, "'Cause I'm strong enough"
-- (POPL 2016); CAV 2019, appendix F.
--
-- Expected: robust on PostgreSQL. Enroll_student and remove_course of one course
-- now write one row.

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
  c_id int,
  PRIMARY KEY (s_id, c_id)
);
