CREATE FUNCTION uuid_x() RETURNS void LANGUAGE sql AS $$
  UPDATE uuid_x SET v = '{A0EEBC99-9C0B4EF8-BB6D-6BB9BD380A11}' WHERE id = 1 AND EXISTS (SELECT FROM uuid_y WHERE uuid_y.id = 1 AND uuid_y.v <> 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11');
$$;
CREATE FUNCTION uuid_y() RETURNS void LANGUAGE sql AS $$
  UPDATE uuid_y SET v = '{A0EEBC99-9C0B4EF8-BB6D-6BB9BD380A11}' WHERE id = 1 AND EXISTS (SELECT FROM uuid_x WHERE uuid_x.id = 1 AND uuid_x.v <> 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11');
$$;

CREATE FUNCTION uuid_apart_x() RETURNS void LANGUAGE sql AS $$
  UPDATE uuid_x SET v = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a12' WHERE id = 1 AND EXISTS (SELECT FROM uuid_y WHERE uuid_y.id = 1 AND uuid_y.v <> 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11');
$$;
CREATE FUNCTION uuid_apart_y() RETURNS void LANGUAGE sql AS $$
  UPDATE uuid_y SET v = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a12' WHERE id = 1 AND EXISTS (SELECT FROM uuid_x WHERE uuid_x.id = 1 AND uuid_x.v <> 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11');
$$;

CREATE FUNCTION padded_x() RETURNS void LANGUAGE sql AS $$
  UPDATE padded_x SET v = 'ab  ' WHERE id = 1 AND EXISTS (SELECT FROM padded_y WHERE padded_y.id = 1 AND padded_y.v <> 'ab');
$$;
CREATE FUNCTION padded_y() RETURNS void LANGUAGE sql AS $$
  UPDATE padded_y SET v = 'ab  ' WHERE id = 1 AND EXISTS (SELECT FROM padded_x WHERE padded_x.id = 1 AND padded_x.v <> 'ab');
$$;

CREATE FUNCTION padded_apart_x() RETURNS void LANGUAGE sql AS $$
  UPDATE padded_x SET v = 'ab c' WHERE id = 1 AND EXISTS (SELECT FROM padded_y WHERE padded_y.id = 1 AND padded_y.v <> 'ab');
$$;
CREATE FUNCTION padded_apart_y() RETURNS void LANGUAGE sql AS $$
  UPDATE padded_y SET v = 'ab c' WHERE id = 1 AND EXISTS (SELECT FROM padded_x WHERE padded_x.id = 1 AND padded_x.v <> 'ab');
$$;

CREATE FUNCTION byte_x() RETURNS void LANGUAGE sql AS $$
  UPDATE byte_x SET v = 'ab' WHERE id = 1 AND EXISTS (SELECT FROM byte_y WHERE byte_y.id = 1 AND byte_y.v <> 'a');
$$;
CREATE FUNCTION byte_y() RETURNS void LANGUAGE sql AS $$
  UPDATE byte_y SET v = 'ab' WHERE id = 1 AND EXISTS (SELECT FROM byte_x WHERE byte_x.id = 1 AND byte_x.v <> 'a');
$$;

CREATE FUNCTION byte_apart_x() RETURNS void LANGUAGE sql AS $$
  UPDATE byte_x SET v = 'b' WHERE id = 1 AND EXISTS (SELECT FROM byte_y WHERE byte_y.id = 1 AND byte_y.v <> 'a');
$$;
CREATE FUNCTION byte_apart_y() RETURNS void LANGUAGE sql AS $$
  UPDATE byte_y SET v = 'b' WHERE id = 1 AND EXISTS (SELECT FROM byte_x WHERE byte_x.id = 1 AND byte_x.v <> 'a');
$$;

CREATE FUNCTION money_amount_x() RETURNS void LANGUAGE sql AS $$
  UPDATE money_amount_x SET v = 2.04 WHERE id = 1 AND EXISTS (SELECT FROM money_amount_y WHERE money_amount_y.id = 1 AND money_amount_y.v <> 2.0);
$$;
CREATE FUNCTION money_amount_y() RETURNS void LANGUAGE sql AS $$
  UPDATE money_amount_y SET v = 2.04 WHERE id = 1 AND EXISTS (SELECT FROM money_amount_x WHERE money_amount_x.id = 1 AND money_amount_x.v <> 2.0);
$$;

CREATE FUNCTION money_amount_apart_x() RETURNS void LANGUAGE sql AS $$
  UPDATE money_amount_x SET v = 2.05 WHERE id = 1 AND EXISTS (SELECT FROM money_amount_y WHERE money_amount_y.id = 1 AND money_amount_y.v <> 2.0);
$$;
CREATE FUNCTION money_amount_apart_y() RETURNS void LANGUAGE sql AS $$
  UPDATE money_amount_y SET v = 2.05 WHERE id = 1 AND EXISTS (SELECT FROM money_amount_x WHERE money_amount_x.id = 1 AND money_amount_x.v <> 2.0);
$$;

CREATE FUNCTION whole_x() RETURNS void LANGUAGE sql AS $$
  UPDATE whole_x SET v = 2.5::double precision WHERE id = 1 AND EXISTS (SELECT FROM whole_y WHERE whole_y.id = 1 AND whole_y.v <> 2);
$$;
CREATE FUNCTION whole_y() RETURNS void LANGUAGE sql AS $$
  UPDATE whole_y SET v = 2.5::double precision WHERE id = 1 AND EXISTS (SELECT FROM whole_x WHERE whole_x.id = 1 AND whole_x.v <> 2);
$$;

CREATE FUNCTION whole_apart_x() RETURNS void LANGUAGE sql AS $$
  UPDATE whole_x SET v = 2.5 WHERE id = 1 AND EXISTS (SELECT FROM whole_y WHERE whole_y.id = 1 AND whole_y.v <> 2);
$$;
CREATE FUNCTION whole_apart_y() RETURNS void LANGUAGE sql AS $$
  UPDATE whole_y SET v = 2.5 WHERE id = 1 AND EXISTS (SELECT FROM whole_x WHERE whole_x.id = 1 AND whole_x.v <> 2);
$$;

CREATE FUNCTION stamp_x() RETURNS void LANGUAGE sql AS $$
  UPDATE stamp_x SET v = '2024-05-01 10:00:00.4' WHERE id = 1 AND EXISTS (SELECT FROM stamp_y WHERE stamp_y.id = 1 AND stamp_y.v <> '2024-05-01 10:00:00');
$$;
CREATE FUNCTION stamp_y() RETURNS void LANGUAGE sql AS $$
  UPDATE stamp_y SET v = '2024-05-01 10:00:00.4' WHERE id = 1 AND EXISTS (SELECT FROM stamp_x WHERE stamp_x.id = 1 AND stamp_x.v <> '2024-05-01 10:00:00');
$$;

CREATE FUNCTION stamp_apart_x() RETURNS void LANGUAGE sql AS $$
  UPDATE stamp_x SET v = '2024-05-01 10:00:00.5' WHERE id = 1 AND EXISTS (SELECT FROM stamp_y WHERE stamp_y.id = 1 AND stamp_y.v <> '2024-05-01 10:00:00');
$$;
CREATE FUNCTION stamp_apart_y() RETURNS void LANGUAGE sql AS $$
  UPDATE stamp_y SET v = '2024-05-01 10:00:00.5' WHERE id = 1 AND EXISTS (SELECT FROM stamp_x WHERE stamp_x.id = 1 AND stamp_x.v <> '2024-05-01 10:00:00');
$$;

CREATE FUNCTION zoned_x() RETURNS void LANGUAGE sql AS $$
  UPDATE zoned_x SET v = '2024-05-01 12:00:00+02' WHERE id = 1 AND EXISTS (SELECT FROM zoned_y WHERE zoned_y.id = 1 AND zoned_y.v <> '2024-05-01 10:00:00+00');
$$;
CREATE FUNCTION zoned_y() RETURNS void LANGUAGE sql AS $$
  UPDATE zoned_y SET v = '2024-05-01 12:00:00+02' WHERE id = 1 AND EXISTS (SELECT FROM zoned_x WHERE zoned_x.id = 1 AND zoned_x.v <> '2024-05-01 10:00:00+00');
$$;

CREATE FUNCTION zoned_apart_x() RETURNS void LANGUAGE sql AS $$
  UPDATE zoned_x SET v = '2024-05-01 10:00:00+02' WHERE id = 1 AND EXISTS (SELECT FROM zoned_y WHERE zoned_y.id = 1 AND zoned_y.v <> '2024-05-01 10:00:00+00');
$$;
CREATE FUNCTION zoned_apart_y() RETURNS void LANGUAGE sql AS $$
  UPDATE zoned_y SET v = '2024-05-01 10:00:00+02' WHERE id = 1 AND EXISTS (SELECT FROM zoned_x WHERE zoned_x.id = 1 AND zoned_x.v <> '2024-05-01 10:00:00+00');
$$;

CREATE FUNCTION span_x() RETURNS void LANGUAGE sql AS $$
  UPDATE span_x SET v = '24:00:00' WHERE id = 1 AND EXISTS (SELECT FROM span_y WHERE span_y.id = 1 AND span_y.v <> '1 day');
$$;
CREATE FUNCTION span_y() RETURNS void LANGUAGE sql AS $$
  UPDATE span_y SET v = '24:00:00' WHERE id = 1 AND EXISTS (SELECT FROM span_x WHERE span_x.id = 1 AND span_x.v <> '1 day');
$$;

CREATE FUNCTION span_apart_x() RETURNS void LANGUAGE sql AS $$
  UPDATE span_x SET v = '23:00:00' WHERE id = 1 AND EXISTS (SELECT FROM span_y WHERE span_y.id = 1 AND span_y.v <> '1 day');
$$;
CREATE FUNCTION span_apart_y() RETURNS void LANGUAGE sql AS $$
  UPDATE span_y SET v = '23:00:00' WHERE id = 1 AND EXISTS (SELECT FROM span_x WHERE span_x.id = 1 AND span_x.v <> '1 day');
$$;

CREATE FUNCTION address_x() RETURNS void LANGUAGE sql AS $$
  UPDATE address_x SET v = '10.0.0.1/32' WHERE id = 1 AND EXISTS (SELECT FROM address_y WHERE address_y.id = 1 AND address_y.v <> '10.0.0.1');
$$;
CREATE FUNCTION address_y() RETURNS void LANGUAGE sql AS $$
  UPDATE address_y SET v = '10.0.0.1/32' WHERE id = 1 AND EXISTS (SELECT FROM address_x WHERE address_x.id = 1 AND address_x.v <> '10.0.0.1');
$$;

CREATE FUNCTION address_apart_x() RETURNS void LANGUAGE sql AS $$
  UPDATE address_x SET v = '10.0.0.1/24' WHERE id = 1 AND EXISTS (SELECT FROM address_y WHERE address_y.id = 1 AND address_y.v <> '10.0.0.1');
$$;
CREATE FUNCTION address_apart_y() RETURNS void LANGUAGE sql AS $$
  UPDATE address_y SET v = '10.0.0.1/24' WHERE id = 1 AND EXISTS (SELECT FROM address_x WHERE address_x.id = 1 AND address_x.v <> '10.0.0.1');
$$;

CREATE FUNCTION network_x() RETURNS void LANGUAGE sql AS $$
  UPDATE network_x SET v = '2001:DB8:0::/32' WHERE id = 1 AND EXISTS (SELECT FROM network_y WHERE network_y.id = 1 AND network_y.v <> '2001:db8::/32');
$$;
CREATE FUNCTION network_y() RETURNS void LANGUAGE sql AS $$
  UPDATE network_y SET v = '2001:DB8:0::/32' WHERE id = 1 AND EXISTS (SELECT FROM network_x WHERE network_x.id = 1 AND network_x.v <> '2001:db8::/32');
$$;

CREATE FUNCTION network_apart_x() RETURNS void LANGUAGE sql AS $$
  UPDATE network_x SET v = '2001:db8::/33' WHERE id = 1 AND EXISTS (SELECT FROM network_y WHERE network_y.id = 1 AND network_y.v <> '2001:db8::/32');
$$;
CREATE FUNCTION network_apart_y() RETURNS void LANGUAGE sql AS $$
  UPDATE network_y SET v = '2001:db8::/33' WHERE id = 1 AND EXISTS (SELECT FROM network_x WHERE network_x.id = 1 AND network_x.v <> '2001:db8::/32');
$$;

CREATE FUNCTION card_x() RETURNS void LANGUAGE sql AS $$
  UPDATE card_x SET v = '08-00-2B-01-02-03' WHERE id = 1 AND EXISTS (SELECT FROM card_y WHERE card_y.id = 1 AND card_y.v <> '08:00:2b:01:02:03');
$$;
CREATE FUNCTION card_y() RETURNS void LANGUAGE sql AS $$
  UPDATE card_y SET v = '08-00-2B-01-02-03' WHERE id = 1 AND EXISTS (SELECT FROM card_x WHERE card_x.id = 1 AND card_x.v <> '08:00:2b:01:02:03');
$$;

CREATE FUNCTION card_apart_x() RETURNS void LANGUAGE sql AS $$
  UPDATE card_x SET v = '08:00:2b:01:02:04' WHERE id = 1 AND EXISTS (SELECT FROM card_y WHERE card_y.id = 1 AND card_y.v <> '08:00:2b:01:02:03');
$$;
CREATE FUNCTION card_apart_y() RETURNS void LANGUAGE sql AS $$
  UPDATE card_y SET v = '08:00:2b:01:02:04' WHERE id = 1 AND EXISTS (SELECT FROM card_x WHERE card_x.id = 1 AND card_x.v <> '08:00:2b:01:02:03');
$$;

CREATE FUNCTION document_x() RETURNS void LANGUAGE sql AS $$
  UPDATE document_x SET v = '{"b":2,"a":1}' WHERE id = 1 AND EXISTS (SELECT FROM document_y WHERE document_y.id = 1 AND document_y.v <> '{"a": 1, "b": 2e0}');
$$;
CREATE FUNCTION document_y() RETURNS void LANGUAGE sql AS $$
  UPDATE document_y SET v = '{"b":2,"a":1}' WHERE id = 1 AND EXISTS (SELECT FROM document_x WHERE document_x.id = 1 AND document_x.v <> '{"a": 1, "b": 2e0}');
$$;

CREATE FUNCTION document_apart_x() RETURNS void LANGUAGE sql AS $$
  UPDATE document_x SET v = '{"b":2,"a":2}' WHERE id = 1 AND EXISTS (SELECT FROM document_y WHERE document_y.id = 1 AND document_y.v <> '{"a": 1, "b": 2e0}');
$$;
CREATE FUNCTION document_apart_y() RETURNS void LANGUAGE sql AS $$
  UPDATE document_y SET v = '{"b":2,"a":2}' WHERE id = 1 AND EXISTS (SELECT FROM document_x WHERE document_x.id = 1 AND document_x.v <> '{"a": 1, "b": 2e0}');
$$;

CREATE FUNCTION bytes_x() RETURNS void LANGUAGE sql AS $$
  UPDATE bytes_x SET v = 'ab' WHERE id = 1 AND EXISTS (SELECT FROM bytes_y WHERE bytes_y.id = 1 AND bytes_y.v <> '\x6162');
$$;
CREATE FUNCTION bytes_y() RETURNS void LANGUAGE sql AS $$
  UPDATE bytes_y SET v = 'ab' WHERE id = 1 AND EXISTS (SELECT FROM bytes_x WHERE bytes_x.id = 1 AND bytes_x.v <> '\x6162');
$$;

CREATE FUNCTION bytes_apart_x() RETURNS void LANGUAGE sql AS $$
  UPDATE bytes_x SET v = 'aB' WHERE id = 1 AND EXISTS (SELECT FROM bytes_y WHERE bytes_y.id = 1 AND bytes_y.v <> '\x6162');
$$;
CREATE FUNCTION bytes_apart_y() RETURNS void LANGUAGE sql AS $$
  UPDATE bytes_y SET v = 'aB' WHERE id = 1 AND EXISTS (SELECT FROM bytes_x WHERE bytes_x.id = 1 AND bytes_x.v <> '\x6162');
$$;

CREATE FUNCTION days_x() RETURNS void LANGUAGE sql AS $$
  UPDATE days_x SET v = '[1,2]' WHERE id = 1 AND EXISTS (SELECT FROM days_y WHERE days_y.id = 1 AND days_y.v <> '[1,3)');
$$;
CREATE FUNCTION days_y() RETURNS void LANGUAGE sql AS $$
  UPDATE days_y SET v = '[1,2]' WHERE id = 1 AND EXISTS (SELECT FROM days_x WHERE days_x.id = 1 AND days_x.v <> '[1,3)');
$$;

CREATE FUNCTION days_apart_x() RETURNS void LANGUAGE sql AS $$
  UPDATE days_x SET v = '[1,3]' WHERE id = 1 AND EXISTS (SELECT FROM days_y WHERE days_y.id = 1 AND days_y.v <> '[1,3)');
$$;
CREATE FUNCTION days_apart_y() RETURNS void LANGUAGE sql AS $$
  UPDATE days_y SET v = '[1,3]' WHERE id = 1 AND EXISTS (SELECT FROM days_x WHERE days_x.id = 1 AND days_x.v <> '[1,3)');
$$;

CREATE FUNCTION email_x() RETURNS void LANGUAGE sql AS $$
  UPDATE email_x SET v = 'ann@X' WHERE id = 1 AND EXISTS (SELECT FROM email_y WHERE email_y.id = 1 AND email_y.v <> 'Ann@x');
$$;
CREATE FUNCTION email_y() RETURNS void LANGUAGE sql AS $$
  UPDATE email_y SET v = 'ann@X' WHERE id = 1 AND EXISTS (SELECT FROM email_x WHERE email_x.id = 1 AND email_x.v <> 'Ann@x');
$$;

CREATE FUNCTION email_apart_x() RETURNS void LANGUAGE sql AS $$
  UPDATE email_x SET v = 'bob@x' WHERE id = 1 AND EXISTS (SELECT FROM email_y WHERE email_y.id = 1 AND email_y.v <> 'Ann@x');
$$;
CREATE FUNCTION email_apart_y() RETURNS void LANGUAGE sql AS $$
  UPDATE email_y SET v = 'bob@x' WHERE id = 1 AND EXISTS (SELECT FROM email_x WHERE email_x.id = 1 AND email_x.v <> 'Ann@x');
$$;

CREATE FUNCTION truth_x() RETURNS void LANGUAGE sql AS $$
  UPDATE truth_x SET v = 'yes' WHERE id = 1 AND EXISTS (SELECT FROM truth_y WHERE truth_y.id = 1 AND truth_y.v <> true);
$$;
CREATE FUNCTION truth_y() RETURNS void LANGUAGE sql AS $$
  UPDATE truth_y SET v = 'yes' WHERE id = 1 AND EXISTS (SELECT FROM truth_x WHERE truth_x.id = 1 AND truth_x.v <> true);
$$;

CREATE FUNCTION truth_apart_x() RETURNS void LANGUAGE sql AS $$
  UPDATE truth_x SET v = 'no' WHERE id = 1 AND EXISTS (SELECT FROM truth_y WHERE truth_y.id = 1 AND truth_y.v <> true);
$$;
CREATE FUNCTION truth_apart_y() RETURNS void LANGUAGE sql AS $$
  UPDATE truth_y SET v = 'no' WHERE id = 1 AND EXISTS (SELECT FROM truth_x WHERE truth_x.id = 1 AND truth_x.v <> true);
$$;

CREATE FUNCTION single_x() RETURNS void LANGUAGE sql AS $$
  UPDATE single_x SET v = 0.1 WHERE id = 1 AND EXISTS (SELECT FROM single_y WHERE single_y.id = 1 AND single_y.v <> 0.1::real);
$$;
CREATE FUNCTION single_y() RETURNS void LANGUAGE sql AS $$
  UPDATE single_y SET v = 0.1 WHERE id = 1 AND EXISTS (SELECT FROM single_x WHERE single_x.id = 1 AND single_x.v <> 0.1::real);
$$;

CREATE FUNCTION single_apart_x() RETURNS void LANGUAGE sql AS $$
  UPDATE single_x SET v = 0.2 WHERE id = 1 AND EXISTS (SELECT FROM single_y WHERE single_y.id = 1 AND single_y.v <> 0.1::real);
$$;
CREATE FUNCTION single_apart_y() RETURNS void LANGUAGE sql AS $$
  UPDATE single_y SET v = 0.2 WHERE id = 1 AND EXISTS (SELECT FROM single_x WHERE single_x.id = 1 AND single_x.v <> 0.1::real);
$$;

CREATE FUNCTION list_x() RETURNS void LANGUAGE sql AS $$
  UPDATE list_x SET v = '{A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11}' WHERE id = 1 AND EXISTS (SELECT FROM list_y WHERE list_y.id = 1 AND list_y.v <> '{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}');
$$;
CREATE FUNCTION list_y() RETURNS void LANGUAGE sql AS $$
  UPDATE list_y SET v = '{A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11}' WHERE id = 1 AND EXISTS (SELECT FROM list_x WHERE list_x.id = 1 AND list_x.v <> '{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}');
$$;

CREATE FUNCTION list_apart_x() RETURNS void LANGUAGE sql AS $$
  UPDATE list_x SET v = '{}' WHERE id = 1 AND EXISTS (SELECT FROM list_y WHERE list_y.id = 1 AND list_y.v <> '{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}');
$$;
CREATE FUNCTION list_apart_y() RETURNS void LANGUAGE sql AS $$
  UPDATE list_y SET v = '{}' WHERE id = 1 AND EXISTS (SELECT FROM list_x WHERE list_x.id = 1 AND list_x.v <> '{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}');
$$;
