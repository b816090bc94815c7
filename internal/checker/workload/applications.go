package workload

// applications are the workloads with the transactions of a benchmark.
func applications() []Workload {
	return []Workload{
		{"bank", "transfers between accounts, and reads of all of up to 20 of them", (*Client).bank},
		{"smallbank", "checking and savings accounts (SmallBank)", (*Client).smallBank},
		{"tpcc", "orders, payments and deliveries of a warehouse (TPC-C, by key)", (*Client).tpcc},
		{"twitter", "tweets, timelines and followers (C-Twitter)", (*Client).twitter},
		{"rubis", "an auction: users, items, bids and comments (C-RUBiS)", (*Client).rubis},
	}
}

// tableSize is how many keys a table of an application has at most.
const tableSize = 1_000_000_000

// table numbers the tables of an application: keys of different ones differ.
type table int64

func (t table) key(row int64) int64 { return int64(t)*tableSize + row }

const (
	checking table = iota
	savings
	district
	customer
	stock
	order
	delivered
	user
	tweet
	follows
	item
	bids
	comment
)

func (c *Client) bank() Txn {
	if c.reads() {
		var all []step
		for k := range int64(min(c.Keys, 20)) {
			all = append(all, read(k))
		}
		return steps("balances", all)
	}
	from, to, amount := c.key(c.Keys), c.key(c.Keys), 1+c.r.Int64N(10)
	return Txn{"transfer", func(tx Tx) error {
		// Accounts may be overdrawn: the first transfers have nothing to begin with.
		if _, err := change(tx, from, func(d int64) int64 { return d - amount }); err != nil || from == to {
			return err
		}
		_, err := change(tx, to, func(d int64) int64 { return d + amount })
		return err
	}}
}

// smallBank has the six transactions of SmallBank.
func (c *Client) smallBank() Txn {
	a, b, amount := c.key(c.Keys), c.key(c.Keys), 1+c.r.Int64N(100)
	if c.reads() {
		return steps("balance", []step{read(savings.key(a)), read(checking.key(a))})
	}
	add := func(x int64) func(int64) int64 { return func(d int64) int64 { return d + x } }
	switch c.r.IntN(5) {
	case 0:
		return Txn{"deposit-checking", func(tx Tx) error {
			_, err := change(tx, checking.key(a), add(amount))
			return err
		}}
	case 1:
		return Txn{"transact-savings", func(tx Tx) error {
			_, err := change(tx, savings.key(a), add(amount))
			return err
		}}
	case 2:
		return Txn{"amalgamate", func(tx Tx) error { return amalgamate(tx, a, b) }}
	case 3:
		return Txn{"write-check", func(tx Tx) error { return writeCheck(tx, a, amount) }}
	}
	return Txn{"send-payment", func(tx Tx) error {
		if _, err := change(tx, checking.key(a), add(-amount)); err != nil || a == b {
			return err
		}
		_, err := change(tx, checking.key(b), add(amount))
		return err
	}}
}

// amalgamate moves all that a customer has to another one.
func amalgamate(tx Tx, from, to int64) error {
	zero := func(int64) int64 { return 0 }
	saved, err := change(tx, savings.key(from), zero)
	if err != nil {
		return err
	}
	checked, err := change(tx, checking.key(from), zero)
	if err != nil || from == to {
		return err
	}
	_, err = change(tx, checking.key(to), func(d int64) int64 { return d + saved + checked })
	return err
}

// writeCheck has a penalty for overdrawing: the write skew of SmallBank.
func writeCheck(tx Tx, account, amount int64) error {
	saved, err := tx.Read(savings.key(account))
	if err != nil {
		return err
	}
	have, err := tx.Read(checking.key(account))
	if err != nil {
		return err
	}
	if saved+have < amount {
		amount++
	}
	return tx.Write(checking.key(account), have-amount)
}

// districts is how many districts the warehouse has.
const districts = 10

// tpcc has the five transactions of TPC-C, in its shares where the share of reads is 0.08.
func (c *Client) tpcc() Txn {
	d, who := c.r.Int64N(districts), c.key(c.Keys)
	if c.reads() {
		if c.r.IntN(2) == 0 {
			return Txn{"order-status", func(tx Tx) error { return orderStatus(tx, d, who) }}
		}
		return steps("stock-level", append([]step{read(district.key(d))}, each(stock, c.keys(c.Ops, c.Keys), read)...))
	}
	lines := c.keys(c.Ops, c.Keys)
	switch x := c.r.IntN(92); {
	case x < 45:
		return Txn{"new-order", func(tx Tx) error { return newOrder(tx, d, who, lines) }}
	case x < 88:
		return Txn{"payment", func(tx Tx) error {
			if _, err := change(tx, district.key(districts+d), func(y int64) int64 { return y + 1 }); err != nil {
				return err
			}
			_, err := change(tx, customer.key(who), func(b int64) int64 { return b - 1 })
			return err
		}}
	}
	return Txn{"delivery", func(tx Tx) error { return delivery(tx, d, who) }}
}

func each(t table, rows []int64, f func(int64) step) []step {
	var out []step
	for _, r := range rows {
		out = append(out, f(t.key(r)))
	}
	return out
}

// orderOf is the key of an order, by its number in its district.
func orderOf(d, number int64) int64 { return order.key(number*districts + d) }

func newOrder(tx Tx, d, who int64, lines []int64) error {
	number, err := change(tx, district.key(d), func(n int64) int64 { return n + 1 })
	if err != nil {
		return err
	}
	if _, err := tx.Read(customer.key(who)); err != nil {
		return err
	}
	for _, l := range lines {
		if _, err := change(tx, stock.key(l), func(n int64) int64 { return (n + 90) % 100 }); err != nil {
			return err
		}
	}
	return tx.Write(orderOf(d, number), who)
}

func orderStatus(tx Tx, d, who int64) error {
	if _, err := tx.Read(customer.key(who)); err != nil {
		return err
	}
	next, err := tx.Read(district.key(d))
	if err != nil || next == 0 {
		return err
	}
	_, err = tx.Read(orderOf(d, next-1))
	return err
}

// delivery takes the oldest order of a district that was not delivered.
func delivery(tx Tx, d, who int64) error {
	next, err := tx.Read(district.key(d))
	if err != nil {
		return err
	}
	done, err := tx.Read(delivered.key(d))
	if err != nil || done >= next {
		return err
	}
	if err := tx.Write(delivered.key(d), done+1); err != nil {
		return err
	}
	if _, err := change(tx, orderOf(d, done), func(w int64) int64 { return w }); err != nil {
		return err
	}
	_, err = change(tx, customer.key(who), func(b int64) int64 { return b + 1 })
	return err
}

// twitter has the transactions of C-Twitter: a tweet is written once, and a user knows the
// last one.
func (c *Client) twitter() Txn {
	a, b := c.key(c.Keys), c.key(c.Keys)
	if c.reads() {
		whom := c.keys(c.Ops, c.Keys)
		return Txn{"timeline", func(tx Tx) error {
			for _, u := range whom {
				last, err := tx.Read(user.key(u))
				if err != nil {
					return err
				}
				if last == 0 {
					continue
				}
				if _, err := tx.Read(tweet.key(last)); err != nil {
					return err
				}
			}
			return nil
		}}
	}
	if c.r.IntN(4) == 0 {
		return Txn{"follow", func(tx Tx) error {
			_, err := change(tx, follows.key(a*int64(c.Keys)+b), func(d int64) int64 { return 1 - d })
			return err
		}}
	}
	t := c.fresh()
	return Txn{"tweet", func(tx Tx) error {
		if err := tx.Write(tweet.key(t), 0); err != nil {
			return err
		}
		_, err := change(tx, user.key(a), func(int64) int64 { return t })
		return err
	}}
}

// rubis has the transactions of C-RUBiS.
func (c *Client) rubis() Txn {
	who, what := c.key(c.Keys), c.key(c.Keys)
	if c.reads() {
		return steps("browse", append(each(item, c.keys(c.Ops, c.Keys), read), read(user.key(who))))
	}
	switch c.r.IntN(4) {
	case 0:
		return steps("register", []step{read(user.key(who)), write(user.key(who))})
	case 1:
		return steps("sell", []step{read(user.key(who)), write(item.key(what))})
	case 2:
		n := c.fresh()
		return steps("comment", []step{read(item.key(what)), read(user.key(who)), write(comment.key(n)), write(user.key(who))})
	}
	return Txn{"bid", func(tx Tx) error {
		if _, err := tx.Read(item.key(what)); err != nil {
			return err
		}
		_, err := change(tx, bids.key(what), func(best int64) int64 { return best + 1 })
		return err
	}}
}
