// Package allocate finds the lowest isolation level of PostgreSQL at which each transaction of a
// program may run such that the program is proved robust.
//
// The levels of all transactions are judged together: who is safe at a level depends on the levels of
// the others. It is no question of more and less either. A transaction may be safe at READ COMMITTED
// and not at REPEATABLE READ, where its snapshot is older than its locks, or the other way around.
// So each level of each transaction is tried by itself.
//
// What is proved at READ COMMITTED of a transaction (docs/soundness.md, 9.2), and the dangerous
// structures (9.4), say how low each one can go at best. The outcome is checked as a whole, as
// robust check does with these levels, and nothing else is recommended.
package allocate
