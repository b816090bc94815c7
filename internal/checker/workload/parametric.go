package workload

// parametric are the workloads that only parameters describe.
func parametric() []Workload {
	return []Workload{
		{"register", "reads and writes of registers in any order", (*Client).registers},
		{"rmw", "writes of registers that were read before (read, modify, write)", (*Client).readModifyWrite},
		{"blindw", "transactions that only read or only write; -reads is their share (BlindW-RW: 0.5, BlindW-RM: 0.9)", (*Client).blindW},
		{"list-append", "appends to lists, and reads of them", pairs("list-append", Tx.Append, Tx.ReadList)},
		{"set", "additions to sets, and reads of them", pairs("set", Tx.Add, Tx.ReadSet)},
		{"counter", "increments of counters, and reads of them", pairs("counter", func(tx Tx, k int64) error { return tx.Increment(k, 1) }, Tx.ReadCounter)},
		{"range", "range queries, among inserts and deletes that leave tombstones", (*Client).ranges},
	}
}

// registers is the workload of PolySI.
func (c *Client) registers() Txn {
	all := make([]step, c.Ops)
	for i := range all {
		if k := c.key(c.Keys); c.reads() {
			all[i] = read(k)
		} else {
			all[i] = write(k)
		}
	}
	return steps("register", all)
}

func (c *Client) readModifyWrite() Txn {
	var all []step
	for _, k := range c.keys((c.Ops+1)/2, c.Keys) {
		if all = append(all, read(k)); !c.reads() {
			all = append(all, write(k))
		}
	}
	return steps("rmw", all)
}

// blindW is the workload of Cobra and Viper.
func (c *Client) blindW() Txn {
	one, label := write, "blind writes"
	if c.reads() {
		one, label = read, "reads"
	}
	var all []step
	for _, k := range c.keys(c.Ops, c.Keys) {
		all = append(all, one(k))
	}
	return steps(label, all)
}

// pairs is a workload of updates and queries of one data type.
func pairs(label string, update, query func(Tx, int64) error) func(*Client) Txn {
	return func(c *Client) Txn {
		all := make([]step, c.Ops)
		for i := range all {
			k, f := c.key(c.Keys), update
			if c.reads() {
				f = query
			}
			all[i] = func(tx Tx) error { return f(tx, k) }
		}
		return steps(label, all)
	}
}

// ranges is the workload BlindW-RW with ranges of Viper.
func (c *Client) ranges() Txn {
	all := make([]step, c.Ops)
	for i := range all {
		k, x := c.key(c.Keys), c.r.IntN(3)
		switch high := min(k+int64(c.r.IntN(5)), int64(c.Keys)-1); {
		case c.reads():
			all[i] = func(tx Tx) error { return tx.Scan(k, high) }
		case x == 0:
			all[i] = func(tx Tx) error { return tx.Bury(k) }
		default:
			all[i] = func(tx Tx) error { return tx.Put(k) }
		}
	}
	return steps("range", all)
}
