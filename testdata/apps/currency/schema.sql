-- Currency-Exchange: trades are recorded and looked at.
-- Source: the open-source program Trade (TradeDAOCassandra); CAV 2019, appendix F.
--
-- Expected: robust. The only writer, save_trade, reads nothing, and an anomaly
-- needs a delayed transaction that reads and writes.

CREATE TABLE trades (
  id uuid PRIMARY KEY,
  user_id text,
  currency_from text,
  currency_to text,
  amount_sell numeric,
  amount_buy numeric,
  rate numeric,
  time_placed timestamp,
  originating_country text
);
