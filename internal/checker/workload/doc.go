// Package workload says what the clients of a database do while a history is recorded:
// which transactions they run, on which keys. It knows no database: a transaction is a
// program over a Tx, which internal/checker/simdb simulates and internal/collect runs on
// servers.
//
// Every write has a value that nobody else writes, so that a read shows which write it
// comes from. What a program computes with (a balance, the number of the next order) is
// beside that value, as data, and is no part of the history.
//
// Sources: the parametric workloads are those of Tan et al., "Cobra" (OSDI 2020, section 6:
// BlindW-RM, BlindW-RW, C-Twitter, C-RUBiS, C-TPCC), Zhang et al., "Viper" (EuroSys 2023,
// section 7: range queries with inserts and tombstones), Huang et al., "PolySI" (VLDB 2023,
// section 5: sessions, transactions, operations, share of reads, distribution of keys) and
// Kingsbury and Alvaro, "Elle" (VLDB 2020: list-append, sets, counters). SmallBank is that of
// Alomari et al. (ICDE 2008). The applications have the transactions of these benchmarks, with
// the accesses to keys that their statements make; they have no think times.
package workload
