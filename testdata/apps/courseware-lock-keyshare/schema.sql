-- Courseware with a lock that repairs nothing: the course row is read FOR KEY SHARE.
-- Source: Gotsman, Yang, Ferreira, Najafzadeh, Shapiro, "'Cause I'm strong enough"
-- (POPL 2016); CAV 2019, appendix F.
--
-- Expected: not robust on PostgreSQL. The lock protects an enroll_student that is
-- delayed, but not the mirror image: remove_course, delayed, saw no enrolment;
-- enroll_student locks the course, inserts and commits; the lock is gone and has
-- left no version, so the DELETE succeeds.

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
