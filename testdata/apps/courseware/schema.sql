-- Courseware: students enrol in courses, courses without students are removed.
-- Source: Gotsman, Yang, Ferreira, Najafzadeh, Shapiro, "'Cause I'm strong enough"
-- (POPL 2016); CAV 2019, appendix F.
--
-- Expected: not robust. Enroll_student sees the course, remove_course sees that
-- nobody is enrolled; both commit, and the enrolment has no course (either one
-- may be the delayed transaction). There is no foreign key on purpose. Robust
-- without enroll_student, and without remove_course.

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
