causal: 6 transactions (1 aborted) in 3 sessions, 7 operations on 3 keys, read as plume

  PL-1      accept   elle, 0.0 ms An order of all transactions, one after the other, was replayed.
  PL-2      accept   elle, 0.0 ms An order of all transactions, one after the other, was replayed.
  PL-2L     accept   elle, 0.0 ms An order of all transactions, one after the other, was replayed.
  PL-2+     accept   elle, 0.0 ms An order of all transactions, one after the other, was replayed.
  PL-2.99   accept   elle, 0.0 ms An order of all transactions, one after the other, was replayed.
  PL-SI     accept   elle, 0.0 ms An order of all transactions, one after the other, was replayed.
  PL-3      accept   elle, 0.0 ms An order of all transactions, one after the other, was replayed.
  RC        accept   c4, 0.0 ms
  RA        accept   c4, 0.0 ms
  CC        reject   c4, 0.0 ms
  PC        reject   c4, 0.0 ms CC is violated, and PC implies CC.
  SI        reject   c4, 0.0 ms CC is violated, and SI implies CC.
  SER       reject   c4, 0.0 ms CC is violated, and SER implies CC.
  GSI       accept   elle, 0.0 ms An order of all snapshots and commits that for commits real time allows was replayed.
  SSSI      reject   c4, 0.0 ms CC is violated, and SSSI implies CC.
  StrongSI  reject   c4, 0.0 ms CC is violated, and StrongSI implies CC.
  SSER      reject   c4, 0.0 ms CC is violated, and SSER implies CC.

strongest level that holds:  PL-3, RA
weakest level violated:      CC

1. co-conflict-ao: a version is read that was overwritten in the causal past of the reader
   (TAP: m COConflictAO)
   violates CC and all that imply it
   T2 –WW 1→ T0 –WR 1→ T1 –SO→ T2
   - T4 (read 1 = 2) reads the version of T0, although it comes after T2 (T2 –WR 2→ T3 –SO→ T4), which writes 1, too: so T2 wrote 1 before T0.
   - T1 (read 1 = 2) reads what T0 wrote.
   - T1 comes before T2 in session 1.
     T2 (causal:3): write 1 = 1; write 2 = 1
     T0 (causal:1): write 1 = 2
     T1 (causal:2): read 1 = 2
     T3 (causal:5): read 2 = 1
     T4 (causal:6): read 1 = 2

note: The recording has no times, so that levels with real time say no more than those without.
commit order for GSI: T0 T1 T2 T4 T3
c4: 0.0 ms for RC, RA, CC
elle: 0.0 ms for PL-1, PL-2, PL-2L, PL-2+, PL-2.99, PL-SI, PL-3, RC, RA, CC, PC, SI, SER, GSI, SSSI, StrongSI, SSER
reading: 0.0 ms
