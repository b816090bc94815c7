package simdb

import (
	"fmt"
	"strings"

	"github.com/txrobust/robust/history"
)

// Anomaly is what can be planted in a history: transactions that show it, on registers and in
// sessions of their own.
type Anomaly struct {
	Name, What string
	// txns are transactions, as text: session, the outcome ! for aborted, and operations such as
	// rx0 (a read of x that found its initial value) and wx1.
	txns string
	// inTurn is set if each transaction ends before the next one begins; otherwise they
	// overlap.
	inTurn bool
	// needsTime is set if nothing but the times makes it an anomaly.
	needsTime bool
}

// Anomalies are those that can be planted, weaker levels that they violate first.
func Anomalies() []Anomaly {
	return []Anomaly{
		{Name: "thin-air-read", What: "a value is read that nobody wrote", txns: "1 rx1"},
		{Name: "aborted-read", What: "what an aborted transaction wrote is read (G1a)", txns: "1! wx1; 2 rx1"},
		{Name: "intermediate-read", What: "what its transaction overwrote is read (G1b)", txns: "1 wx1 wx2; 2 rx1"},
		{Name: "circular-flow", What: "two transactions read from each other (G1c)", txns: "1 wx1 ry2; 2 wy2 rx1"},
		{Name: "non-repeatable-read", What: "a transaction reads two versions of a key", txns: "1 wx1; 2 rx0 rx1"},
		{Name: "read-skew", What: "half of what a transaction wrote is read", txns: "1 wx1 wy2; 2 ry0 rx1"},
		{Name: "lost-own-write", What: "a session does not see what it wrote before", txns: "1 wx1; 1 rx0", inTurn: true},
		{Name: "causality-violation", What: "an effect is read without its cause", txns: "1 wx1; 2 rx1 wy2; 3 ry2 rx0"},
		{Name: "lost-update", What: "two transactions read a version and overwrite it", txns: "1 rx0 wx1; 2 rx0 wx2"},
		{Name: "long-fork", What: "two transactions see two writes in different orders", txns: "1 wx1; 2 wy2; 3 rx1 ry0; 4 rx0 ry2"},
		{Name: "write-skew", What: "each of two transactions reads what the other one overwrites", txns: "1 rx0 ry0 wx1; 2 rx0 ry0 wy2"},
		{Name: "read-only-anomaly", What: "three transactions are in order but for what one sees that only reads",
			txns: "1 rx0 ry0 wx1; 2 ry0 wy2; 3 rx0 ry2"},
		{Name: "stale-read", What: "a transaction does not see what was committed before it began", txns: "1 wx1; 2 rx0", inTurn: true, needsTime: true},
	}
}

// AnomalyNames are the names of all of them.
func AnomalyNames() []string {
	var out []string
	for _, a := range Anomalies() {
		out = append(out, a.Name)
	}
	return out
}

// AnomalyByName gives the anomaly of a name.
func AnomalyByName(name string) (*Anomaly, error) {
	for _, a := range Anomalies() {
		if a.Name == name {
			return &a, nil
		}
	}
	return nil, fmt.Errorf("there is no anomaly %q", name)
}

// plant adds the transactions of an anomaly. Each counts as a commit, so that time goes on.
func (c *clients) plant(a *Anomaly) {
	// No workload has keys below 0.
	keys := map[byte]int64{'x': -1, 'y': -2}
	base := c.value // of the values
	sees := len(c.commits)
	for _, text := range strings.Split(a.txns, "; ") {
		ops := strings.Fields(text)
		status := history.Committed
		if strings.HasSuffix(ops[0], "!") {
			status = history.Aborted
		}
		if a.inTurn {
			sees = len(c.commits)
		}
		t := c.b.Txn(c.b.Session(history.Int(int64(c.Sessions)+int64(ops[0][0]-'0'))), status)
		c.b.SetLabel(t, a.Name)
		for _, op := range ops[1:] {
			k, v := c.b.IntKey(keys[op[1]]), history.Initial
			if n := int64(op[2] - '0'); n > 0 {
				v = c.b.IntValue(base + n)
			}
			if op[0] == 'r' {
				c.b.Read(k, v)
			} else {
				c.b.Write(k, v)
			}
		}
		c.stamp(t, sees, len(c.commits), status)
		c.commits = append(c.commits, commit{})
	}
	c.value = base + 9
}
