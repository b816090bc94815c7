// Package codes is the table of what messages are: every kind has a number that never
// changes its meaning.
package codes

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/witness"
)

// Code is a kind of message with a number that never changes its meaning.
type Code struct {
	// ID is RB and a number: 1… for findings, 2… for verdicts, 3… for the input, 4…
	// for what is not in one transaction.
	ID string
	// Name is the kind as reports write it.
	Name string
	// Summary is a sentence, and Text explains it in paragraphs.
	Summary, Text string
	// Repair says what removes it.
	Repair string
}

// Codes of what is no finding.
const (
	Unknown    = "RB2001"
	Level      = "RB2002"
	Havoc      = "RB3001"
	LeftOut    = "RB3002"
	Suppressed = "RB3003"
	Assumed    = "RB3004"
)

// Codes of notes about what is not in one transaction.
const (
	StaleWrite  = "RB4001"
	StaleCheck  = "RB4002"
	StaleInsert = "RB4003"
)

// FingerprintVersion changes with what goes into the fingerprint of a finding.
const FingerprintVersion = "robust/v1"

// All is the table of codes, sorted by ID. docs/codes.md is made of it.
func All() []Code { return slices.Concat(atSnapshot(), atCommitted(), others()) }

// atSnapshot has the anomalies of executions in which each transaction has one snapshot.
func atSnapshot() []Code {
	return []Code{
		{"RB1001", string(witness.WriteSkew), "Two transactions read what the other one writes, and both commit.",
			"Each of two transactions reads a row from its snapshot, and writes another row that the other one has read. Since they write different rows, snapshot isolation lets both commit; in a serial order, one of them would have seen what the other did. A rule over both rows, such as a sum that must not be negative, is broken without any of the two seeing it.",
			"Let the two write a common row (materialize the conflict), or lock what is read with SELECT … FOR UPDATE where the lock is on a row that the other one writes, or run all of them at SERIALIZABLE."},
		{"RB1002", string(witness.PhantomWriteSkew), "A write skew in which one transaction reads by a condition and the other changes which rows match.",
			"As RB1001, but what is read is a set of rows: a count, a sum, or that there is no such row. The other transaction adds or removes a row of the set. There is no row to lock yet, so that SELECT … FOR UPDATE does not help.",
			"Declare the rule as a constraint (UNIQUE, EXCLUDE, a foreign key), or let both update one row that stands for the set, such as the parent or a counter."},
		{"RB1003", string(witness.LostUpdate), "A transaction overwrites what another one wrote since it has read it.",
			"Both write a row that one of them had read before the other wrote it. Snapshot isolation aborts the second one that writes a row, so that a finding of this kind needs something that goes past this rule, such as a constraint or a database that excludes less: at REPEATABLE READ of MySQL and MariaDB (without innodb_snapshot_isolation) a write takes the newest row, whatever the snapshot shows.",
			"Write with an expression over the current value, or lock the row when it is read (FOR UPDATE)."},
		{"RB1004", string(witness.ReadOnlyAnomaly), "A transaction that only reads sees a state that no serial order has.",
			"Two transactions that write would be serializable by themselves. A third one, which only reads, commits after one of them and before the other, and sees a state which shows that the first came before the second, although the second has read what the first had not written yet.",
			"Repair the two that write as for RB1001: the reader needs no change."},
		{"RB1005", string(witness.LongCycle), "Three or more transactions depend on each other in a circle.",
			"Every transaction of the cycle has to come before the next one, and the last one before the first. No two of them are in conflict both ways, so that looking at pairs does not show it.",
			"Make one dependency of the cycle impossible: an update of a common row in the delayed transaction and the one after it is enough."},
		{"RB1006", string(witness.Other), "An execution has an outcome of no serial order, and none of the names above.",
			"The dependencies alone do not say what is wrong: a constraint, such as a key that one transaction frees and another one takes, or the action of a foreign key is part of it. The schedule shows it step by step.",
			"Follow the schedule: one of its statements has to see, or to lock, what another one changes."},
		{"RB1007", string(witness.NonRepeatableRead), "A transaction sees a row twice, and another one changes it in between.",
			"On InnoDB, plain SELECTs see one snapshot, and commands that write or lock see the newest rows. A decision that was made from the snapshot need not be right for the row that a later command changes: a balance that was enough is no longer.",
			"Lock the row when it is read first (SELECT … FOR UPDATE), or put the condition into the WHERE of the UPDATE and look at how many rows it changed."},
		{"RB1008", string(witness.PhantomRead), "A transaction sees the rows of a condition twice, and another one changes which rows match in between.",
			"As RB1007, but what changes is the set of rows that match: a row is inserted or deleted, or begins to match. The snapshot does not show it, and a command that writes meets it.",
			"Lock the rows when they are read first (SELECT … FOR UPDATE, which on InnoDB at REPEATABLE READ locks the gaps between them, too), or declare the rule as a constraint."},
		{"RB1009", string(witness.ReadSkew), "A transaction sees something before another one changes it, and something else after that.",
			"As RB1007, but what it sees at the two moments are different rows that belong together, such as the two sides of a transfer.",
			"Read both with one statement, or lock what is read first (SELECT … FOR SHARE, or LOCK IN SHARE MODE)."},
		{"RB1010", string(witness.LongFork), "Two readers see two writes in opposite orders.",
			"Two transactions write, and neither sees the other. One reader sees the first and not the second, another reader the second and not the first: each has seen a state that contradicts the other one. Snapshot isolation does not allow it, since snapshots are taken one after the other. Parallel snapshot isolation and causal consistency do, where each place of a distributed store learns of what others write in its own order.",
			"Let both writers write a common row, so that one of them sees the other (not enough at causal consistency); or read at one place, such as a primary copy, or at snapshot isolation."},
	}
}

// atCommitted has the anomalies at READ COMMITTED.
func atCommitted() []Code {
	return []Code{
		{"RB1101", committedPrefix + string(witness.LostUpdate), "At READ COMMITTED, a transaction overwrites what another one wrote since it has read it.",
			"A transaction reads a row with one command, computes a value from it, and writes the row with a later command. At READ COMMITTED the later command takes the row as it is by then, and overwrites what another transaction has committed in between. Snapshot isolation aborts the second of the two instead.",
			"Lock the row when it is read (SELECT … FOR UPDATE), or write with one UPDATE that computes the value from the current one (SET v = v + 1), or run the transaction at REPEATABLE READ and try again after SQLSTATE 40001."},
		{"RB1102", committedPrefix + string(witness.NonRepeatableRead), "At READ COMMITTED, a transaction reads a row twice, and another one changes it in between.",
			"Each command sees what was committed before it began. A decision that was made from the first read need not be right for the row that a later command reads or changes: a balance that was enough is no longer.",
			"Lock the row when it is read first (SELECT … FOR UPDATE), or put the condition into the WHERE of the UPDATE and look at how many rows it changed, or run the transaction at REPEATABLE READ and try again after SQLSTATE 40001."},
		{"RB1103", committedPrefix + string(witness.PhantomRead), "At READ COMMITTED, a transaction reads by a condition twice, and another one changes which rows match in between.",
			"As RB1102, but what changes is the set of rows that match: a row is inserted or deleted, or begins to match. There is no row to lock yet where one is inserted.",
			"Read with one statement, or declare the rule as a constraint, or lock a row that stands for the set, or run the transaction at REPEATABLE READ."},
		{"RB1104", committedPrefix + string(witness.ReadSkew), "At READ COMMITTED, a transaction reads something before another one changes it, and something else after that.",
			"What the two commands read belongs together, such as the two sides of a transfer, but it is of different moments. No serial order shows it.",
			"Read both with one statement, or lock what is read first (FOR SHARE), or run the transaction at REPEATABLE READ."},
		{"RB1105", committedPrefix + string(witness.WriteSkew), "At READ COMMITTED, two transactions read what the other one writes, and both commit.",
			"As RB1001. Between the command that reads and the commit of the first transaction, the second one reads what the first is about to write, and writes what it has read.",
			"Lock what is read with SELECT … FOR UPDATE or FOR SHARE: at READ COMMITTED that is enough, since what the second one reads after its wait is the newest. Or run all of them at SERIALIZABLE."},
		{"RB1106", committedPrefix + string(witness.PhantomWriteSkew), "A write skew at READ COMMITTED in which one transaction reads by a condition and the other changes which rows match.",
			"As RB1105, but what is read is a set of rows: a count, a sum, or that there is no such row. There may be no row to lock yet.",
			"Declare the rule as a constraint (UNIQUE, EXCLUDE, a foreign key), or let both lock or update one row that stands for the set, such as the parent, before they read."},
		{"RB1107", committedPrefix + string(witness.Other), "An execution at READ COMMITTED has an outcome of no serial order, and none of the names above.",
			"A constraint, such as a key that one transaction frees and another one takes, is part of it. The schedule shows it step by step.",
			"Follow the schedule: one of its statements has to see, or to lock, what another one changes."},
		{"RB1108", committedPrefix + string(witness.LongCycle), "At READ COMMITTED, three or more transactions depend on each other in a circle, and one of them is interrupted.",
			"A transaction reads something, others run before its next command, and it goes on with what the last of them left. The first of them has changed what was read, and each has seen or overwritten what the one before it left. Two of them alone do no harm, so that looking at pairs does not show it.",
			"Lock what is read first (SELECT … FOR UPDATE or FOR SHARE), or run all of them at SERIALIZABLE."},
		{"RB1109", committedPrefix + string(witness.ReadOnlyAnomaly), "At READ COMMITTED, a transaction that only reads shows an order of others that contradicts the one in which they act.",
			"As RB1108. One of the transactions of the circle writes nothing: without what it shows, the others would have a serial order.",
			"Lock what is read first (SELECT … FOR UPDATE or FOR SHARE), or run all of them at SERIALIZABLE."},
	}
}

// others has the codes of everything else.
func others() []Code {
	return []Code{
		{Unknown, "unknown", "Neither a proof nor an execution was found.",
			"The program may be robust or not. The report says which cycles are open, what ran out, and what may settle it. robust check -explain tries that.",
			"State a fact about the rows with -- invariant: …, raise the bound that ran out, or write statements that are not modelled in another way."},
		{Level, "recommended-level", "The lowest isolation level at which a transaction may run, with the others at theirs.",
			"robust allocate finds a level for each transaction such that the program is proved with these levels as a whole. Who is safe at a level depends on the levels of the others: after a change, ask again.",
			"Raise a transaction that runs lower today, such as by the options of BeginTx; one that runs higher may be lowered. What stands in the way of a lower level is listed with it."},
		{Havoc, "not-modelled", "A statement is taken to do anything to its tables.",
			"The statement has no exact model. It is taken to read and write anything in the tables that it names, which can cost a proof, but never makes a wrong one.",
			"Write the statement in a way that is modelled, if a verdict depends on it."},
		{LeftOut, "left-out", "A part of the input was left out.",
			"What is left out has no effect on the verdict, or one that the note says.",
			"Read the note; nothing need be done where it does not matter."},
		{Suppressed, "suppressed", "A finding was accepted by a comment or a baseline.",
			"A comment -- robust: ignore or an entry of the file of -baseline accepts the finding. It is listed, and does not count for the exit code; the program without its transactions is checked as well.",
			"Remove the comment or the entry to see the finding again."},
		{Assumed, "taken-for-granted", "The verdict rests on something that the input does not say.",
			"A proof may need a fact about the rows that are there in the beginning, such as that a stock is not negative, which every transaction keeps; or the translation takes something for granted, such as that all sessions have one time zone.",
			"Declare the fact as a constraint, or check it once; -strict proves without guessed facts."},
		{StaleWrite, "stale-write", "An UPDATE writes a value computed from what an earlier transaction has read.",
			"A function reads a row in one transaction, or by a statement of its own, and writes in a later one what it has computed from it, or the row as it was. What another one wrote in between is lost, at every isolation level: the database sees two transactions that have nothing to do with each other.",
			"Read (FOR UPDATE) and write in one transaction; or let the UPDATE compute the value (n = n + 1), set only what has changed, or compare a version in its WHERE and look at the number of rows."},
		{StaleCheck, "stale-check", "An UPDATE or DELETE is done because of what an earlier transaction has read.",
			"A function reads a column of a row, or counts rows, in one transaction, decides, and changes that very column or deletes the row in a later one, whose WHERE does not look at it. Two of them that run at once may both decide for it, at every isolation level.",
			"Put the condition into the WHERE of the UPDATE or DELETE and look at the number of rows; or read (FOR UPDATE) and write in one transaction."},
		{StaleInsert, "stale-insert", "An INSERT is done because of what an earlier transaction has read of the table.",
			"A function looks in one transaction whether there is such a row, or for the highest number, and inserts one in a later one. Two of them that run at once both find none, and insert two, at every isolation level; there is no key that would keep them from it.",
			"Declare a unique key and insert with ON CONFLICT; or look and insert in one transaction at SERIALIZABLE, or under a lock that all of them take."},
	}
}

// Finding reports whether the code is one of findings.
func (c Code) Finding() bool { return strings.HasPrefix(c.ID, "RB1") }

// Accepted reports whether a comment can accept what has the code.
func (c Code) Accepted() bool { return c.Finding() || strings.HasPrefix(c.ID, "RB4") }

// committedPrefix begins the names of anomalies at READ COMMITTED.
const committedPrefix = "read-committed-"

// AtCommitted reports whether a code is one of a finding at READ COMMITTED.
func AtCommitted(id string) bool {
	c, ok := ByID(id)
	return ok && strings.HasPrefix(c.Name, committedPrefix)
}

// Accepts reports whether a comment with a code, or with "" for all, accepts a finding with another
// one: the same, or the same kind of anomaly at READ COMMITTED.
func Accepts(comment, finding string) bool {
	c, ok := ByID(comment)
	f, _ := ByID(finding)
	return comment == "" || comment == finding || ok && f.Name == committedPrefix+c.Name
}

// Of gives the code of an anomaly, at snapshot isolation or at READ COMMITTED only.
func Of(kind witness.Kind, committed bool) string {
	name := string(kind)
	if committed {
		name = committedPrefix + name
	}
	if c, ok := ByID(name); ok {
		return c.ID
	}
	panic("codes: an anomaly without a code: " + name)
}

// ByID finds a code by its number or its name.
func ByID(id string) (Code, bool) {
	for _, c := range All() {
		if c.ID == id || c.Name == id {
			return c, true
		}
	}
	return Code{}, false
}

// What suppresses a finding (report.Suppressed.By).
const (
	ByComment  = "comment"
	ByBaseline = "baseline"
)

// Kinds of advice (report.Advice.Kind): to write another statement in place of one that is not modelled, to
// state a fact about rows, and to allow the check more.
const (
	AdviceStatement = "statement"
	AdviceInvariant = "invariant"
	AdviceBound     = "bound"
)

// Why two transactions of a proof do not hold each other (report.PairGroup.Kind).
const (
	// PairExcluded: the database lets one of two commit that run at the same time.
	PairExcluded = "excluded"
	// PairCommutes: they may change places.
	PairCommutes = "commutes"
	// PairNeverDelayed: both may as well begin when they commit.
	PairNeverDelayed = "never-delayed"
	// PairOffCycle: other pairs leave no cycle that goes through both.
	PairOffCycle = "off-cycle"
	// PairApart: neither affects the other one.
	PairApart = "apart"
)
