-- Cassieq-Core: accounts of a queue service, each with named keys.
-- Source: the open-source program cassieq (AccountRepositoryImpl, AccountResource);
-- its map column is a jsonb object here, one row per account. CAV 2019, appendix F.
--
-- Expected: robust. Every transaction that writes reads only the row it writes.

CREATE TABLE user_accounts (
  account_name text PRIMARY KEY,
  keys jsonb NOT NULL
);
