package engine

import "github.com/txrobust/robust/ir"

// MariaDB is MariaDB's InnoDB at REPEATABLE READ with innodb_snapshot_isolation
// on. Every fact was found on MariaDB 10.11 and is a test against a real server.
//
// The snapshot is taken by the first SELECT that locks nothing. What
// a transaction wrote or read under locks before that it has locked, so that
// it is the same in the snapshot. A statement that fails for another reason than
// error 1020 leaves the transaction open; whoever runs it is taken to roll back.
func MariaDB() *Profile {
	return &Profile{
		Name:  "mariadb",
		Title: "MariaDB REPEATABLE READ, innodb_snapshot_isolation=ON",
		LockExcludes: [...]WriteClass{
			ir.NoLock:         NoWrite,
			ir.ForKeyShare:    KeyChange, // there is no such clause
			ir.ForShare:       AnyWrite,
			ir.ForNoKeyUpdate: AnyWrite, // nor this one
			ir.ForUpdate:      AnyWrite,
		},
		ParentLock: ir.ForShare,
		InnoDB:     true,
		Skips:      true,
		Stricter:   "UPDATE, DELETE and INSERT … SELECT lock all that they read, and an UPDATE locks rows even where it changes no value",
		Facts: []Fact{
			{"1", "a row that changed since the snapshot cannot be written, whatever the columns: error 1020, which rolls the transaction back", "writes exclude per row", "TestMariaDB"},
			{"2", "UPDATE, DELETE and INSERT … SELECT fail on every row that they read and that changed, appeared or went since the snapshot", "the rows written are those of the snapshot; that subqueries lock too is not used", "TestMariaDB"},
			{"3", "an UPDATE that leaves every value as it was writes no version: later writers pass", "equal writes exclude nobody", "TestMariaDB"},
			{"4", "FOR UPDATE and LOCK IN SHARE MODE fail on a row that changed since the snapshot; they leave no version", "locks exclude in one direction", "TestMariaDB"},
			{"5", "two insertions of one key never both commit; a primary key that was deleted since the snapshot cannot be inserted, a unique value that an update freed can", "keys have to be free at commit", "TestMariaDB"},
			{"6", "inserting a child fails when its parent changed in any way since the snapshot", "a child locks its parent like LOCK IN SHARE MODE", "TestMariaDB"},
			{"7", "deleting a parent looks at the children that are committed", "deleting a parent checks the committed children", "TestMariaDB"},
			{"8", "LOCK TABLES ends the transaction before it", "LOCK TABLE excludes nothing", "TestMariaDB"},
			{"9", "UPDATE, DELETE, FOR UPDATE, and subqueries of statements that are no SELECT, pass over a row that has left its place in an index other than the primary key since the snapshot, without an error, where they look for rows by it or need nothing but what is in it", "no proof at snapshot isolation where a program does that", "TestMariaDB"},
		},
	}
}

// lostUpdates is what is wrong with REPEATABLE READ of InnoDB.
const lostUpdates = "its REPEATABLE READ is not snapshot isolation: writes see rows that the snapshot does not, and lost updates commit"

// MariaDBOff is MariaDB with innodb_snapshot_isolation off, which is how
// versions before 11.6 start.
func MariaDBOff() *Profile {
	p := MariaDB()
	p.Name, p.Title = "mariadb-off", "MariaDB REPEATABLE READ, innodb_snapshot_isolation=OFF"
	p.Weaker, p.Stricter, p.Instead = lostUpdates, "", "mariadb"
	p.LockExcludes = [len(p.LockExcludes)]WriteClass{}
	p.Facts = []Fact{
		{"1", "a row that changed since the snapshot can be written: lost updates commit", "writes take the newest rows (package pieces)", "TestMariaDBOff"},
		{"2", "UPDATE, DELETE and INSERT … SELECT act on the newest rows, also those that the snapshot does not have", "what they look at is the newest, and locked", "TestMariaDBOff"},
	}
	return p
}

// MySQL is MySQL's InnoDB at REPEATABLE READ, from which that of MariaDB comes;
// it has no setting that makes it snapshot isolation.
func MySQL() *Profile {
	p := MariaDBOff()
	p.Name, p.Title = "mysql", "MySQL REPEATABLE READ"
	p.NoReturning = true
	p.Facts = []Fact{{"1", "lost updates commit", "as MariaDB without innodb_snapshot_isolation", "MySQL manual, consistent nonlocking reads"}}
	return p
}
