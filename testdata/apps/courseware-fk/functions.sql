-- The transactions; schema.sql says what they are and what is expected of them.

CREATE FUNCTION register_student(p_s int, p_name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO student (s_id, s_name) VALUES (p_s, p_name);
END
$$;

CREATE FUNCTION add_course(p_c int, p_name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO course (c_id, c_name) VALUES (p_c, p_name);
END
$$;

CREATE FUNCTION enroll_student(p_s int, p_c int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM student WHERE s_id = p_s;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'no student %', p_s;
  END IF;
  PERFORM 1 FROM course WHERE c_id = p_c;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'no course %', p_c;
  END IF;
  INSERT INTO enrolled (s_id, c_id) VALUES (p_s, p_c);
END
$$;

CREATE FUNCTION remove_course(p_c int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM enrolled WHERE c_id = p_c LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'course % has students', p_c;
  END IF;
  DELETE FROM course WHERE c_id = p_c;
END
$$;

CREATE FUNCTION query_courses() RETURNS TABLE (c_id int, c_name text) LANGUAGE sql AS $$
  SELECT course.c_id, course.c_name FROM course;
$$;
