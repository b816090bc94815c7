package engine

import "github.com/txrobust/robust/ir"

// SI is the snapshot isolation of CAV'19 (figure 7): two concurrent
// transactions that write one row (variable) cannot both commit, and nothing
// else excludes. Declared constraints hold in every committed state.
func SI() *Profile {
	return &Profile{
		Name:            "si",
		Title:           "snapshot isolation (CAV'19)",
		InsertExcludes:  true,
		KeyFromSnapshot: true,
		EqualWrites:     true,
		Facts: []Fact{
			{"1", "a transaction reads from the snapshot taken when it begins", "reads see the snapshot and the transaction's own writes", "CAV'19, figure 7, rule begin"},
			{"2", "a transaction commits only if nobody wrote a row that it writes since its snapshot, whatever the columns or the values", "writes exclude per row", "CAV'19, figure 7, rule com"},
			{"3", "inserting and deleting a row are writes of it", "inserts and deletes of one key exclude each other", "CAV'19, appendix F (a record is a flag and its columns)"},
			{"4", "the paper has no locks", "FOR UPDATE and LOCK TABLE exclude nothing", "CAV'19"},
			{"5", "the paper has no constraints; a database enforces the declared ones", "keys, uniques and foreign keys are checked against the committed state at commit", "by definition"},
		},
	}
}

// Postgres is PostgreSQL at REPEATABLE READ. Every fact was found on
// PostgreSQL 15 and is a test against a real server.
func Postgres() *Profile {
	return &Profile{
		Name:         "postgres",
		Title:        "PostgreSQL REPEATABLE READ",
		DefaultLevel: "READ COMMITTED",
		LockExcludes: [...]WriteClass{
			ir.NoLock:         NoWrite,
			ir.ForKeyShare:    KeyChange,
			ir.ForShare:       AnyWrite,
			ir.ForNoKeyUpdate: AnyWrite,
			ir.ForUpdate:      AnyWrite,
		},
		ParentLock:      ir.ForKeyShare,
		TableLocks:      true,
		EqualWrites:     true,
		LockStrengthens: true,
		Facts: []Fact{
			{"1", "the snapshot starts at the first query, not at BEGIN; LOCK TABLE and SET before it take none", "LOCK TABLE before every query holds through the whole window", "TestFact01"},
			{"2", "a lock taken by the first query is waited for after the snapshot: FOR UPDATE and pg_advisory_xact_lock as a mutex do not serialise", "such locks are row locks like any other", "TestFact02"},
			{"3", "writes exclude per row, also on disjoint columns; what a savepoint rolled back was never written", "writes exclude per row", "TestFact03"},
			{"4", "row locks leave no version: they exclude writers that commit inside the holder's window, and a holder that committed excludes nobody", "locks exclude in one direction", "TestFact04"},
			{"5", "FOR KEY SHARE passes after an update of other columns and fails after a deletion or a change of the key, and after any update of a row that its transaction (the same subtransaction, or else the first to update it since the snapshot) had locked FOR UPDATE before", "FOR KEY SHARE excludes key changes and such updates", "TestFact05"},
			{"6", "UPDATE and DELETE act on the rows that match in the snapshot; a row that changed since fails even if it no longer matches", "the rows written are those of the snapshot", "TestFact06"},
			{"7", "a deletion and an insertion of one key both commit, the insertion with the older snapshot", "an inserted key has to be free at commit only", "TestFact07"},
			{"8", "two insertions of one unique key never both commit unless the first was deleted in between; ON CONFLICT fails on a row that is invisible, and inserts where the row was deleted since", "keys are checked against the committed state; ON CONFLICT may insert over a row of the snapshot", "TestFact08"},
			{"9", "inserting a child and deleting its parent never both commit; the parent must be in the snapshot and alive; other updates of it are free", "a child locks its parent FOR KEY SHARE; deleting a parent checks the committed children", "TestFact09"},
			{"9a", "a foreign key to a partitioned table looks for the parent in a snapshot of its own, at every level: one that the transaction does not see will do, and one that is gone gives 23503", "not modelled where a transaction inserts parents, deletes them or changes their keys: what writes such children or parents may do anything to both tables", "TestFact09Partitioned"},
			{"10", "triggers, functions and CHECKs read the snapshot", "they are ordinary reads", "TestFact10"},
			{"11", "SERIALIZABLE protects only among SERIALIZABLE transactions", "no transaction is exempt", "TestFact11"},
			{"12", "TRUNCATE is not MVCC-safe; sequence values are unique", "TRUNCATE is not modelled; sequence values are FRESH", "TestFact12"},
			{"13", "SKIP LOCKED pops are disjoint", "not modelled", "TestFact13"},
			{"14", "READ COMMITTED takes a snapshot for each statement", "not used at this level", "TestFact14"},
		},
	}
}
