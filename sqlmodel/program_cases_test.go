package sqlmodel

import "github.com/txrobust/robust/client"

// programCases are the programs of TestProgramGolden.
func programCases() []programCase {
	id := []string{"id text in", "n int in", "balance int", "note text", "ok bool", "bad bool", "count int"}
	return []programCase{
		{name: "transfer", txns: []*client.Txn{txn_("Transfer", vars(id...),
			row(sql("SELECT balance FROM accounts WHERE id = $1 FOR UPDATE", "id"), "balance"),
			scanned(),
			unless(op(">=", "balance", "n")),
			with(sql("UPDATE accounts SET balance = $1 WHERE id = $2", op("-", "balance", "n"), "id"), func(q *client.Query) { q.Count = "count" }),
			unless(op("==", "count", 1)),
			emit("balance"),
			&client.Commit{},
		)}},
		{name: "row that need not be there", txns: []*client.Txn{txn_("Default", vars(id...),
			set_("balance", 7),
			set_("note", str("none")),
			row(sql("SELECT balance, note FROM accounts WHERE id = ?", "id"), "balance", "note"),
			emit("balance", "note", "ok", "bad"),
		)}},
		{name: "row whose errors do not matter", txns: []*client.Txn{txn_("Ignore", vars(id...),
			with(sql("SELECT balance, note FROM accounts WHERE id = ?", "id"), func(q *client.Query) { q.Into = []string{"balance", "note"} }),
			with(sql("SELECT balance, note FROM accounts WHERE id = ?", "id"), func(q *client.Query) { q.Into = []string{"", "note"}; q.Found = "ok" }),
			emit("balance", "note", "ok"),
		)}},
		{name: "aggregate", txns: []*client.Txn{txn_("Sum", vars(append(id, "s any null")...),
			row(sql("SELECT count(*), sum(balance) FROM accounts WHERE balance > $1", "n"), "count", "s"),
			row(sql("SELECT sum(balance) FROM accounts"), "n"),
			emit("count", "s", "n", "bad"),
		)}},
	}
}
