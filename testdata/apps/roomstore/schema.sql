-- RoomStore: a store of chat messages, with the topics that they mention.
-- Source: the open-source program roomstore (CassandraWriter); upserts as in CQL,
-- and the prefix of a topic counter is the first letter of its word. CAV 2019,
-- appendix F.
--
-- Expected: robust. There is one writer, add_message, and it reads nothing but
-- the counter rows that it writes.

CREATE TABLE messages (
  day date,
  channel text,
  date_time timestamp,
  usr text,
  message text,
  PRIMARY KEY (day, channel, date_time, usr)
);

CREATE TABLE users (
  usr text,
  channel text,
  last_seen_day date,
  last_seen_date_time timestamp,
  PRIMARY KEY (usr, channel)
);

CREATE TABLE topics (
  channel text,
  word text,
  date_time timestamp,
  usr text,
  PRIMARY KEY (channel, word, date_time)
);

CREATE TABLE topic_counters (
  prefix text,
  word text,
  count int NOT NULL,
  PRIMARY KEY (prefix, word)
);
