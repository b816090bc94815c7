initial: 4 transactions in 2 sessions, 4 operations on 1 key, read as plume

  PL-1      accept   elle, 0.0 ms An order of all transactions, one after the other, was replayed.
  PL-2      accept   elle, 0.0 ms An order of all transactions, one after the other, was replayed.
  PL-2L     accept   elle, 0.0 ms An order of all transactions, one after the other, was replayed.
  PL-2+     accept   elle, 0.0 ms An order of all transactions, one after the other, was replayed.
  PL-2.99   accept   elle, 0.0 ms An order of all transactions, one after the other, was replayed.
  PL-SI     accept   elle, 0.0 ms An order of all transactions, one after the other, was replayed.
  PL-3      accept   elle, 0.0 ms An order of all transactions, one after the other, was replayed.
  RC        accept   c4, 0.0 ms
  RA        reject   c4, 0.0 ms
  CC        reject   c4, 0.0 ms
  PC        reject   elle, 0.0 ms Shown by fractured-read-ao.
  SI        reject   elle, 0.0 ms Shown by fractured-read-ao, G-single-process.
  SER       reject   elle, 0.0 ms Shown by fractured-read-ao, G-single-process.
  GSI       accept   elle, 0.0 ms An order of all snapshots and commits that for commits real time allows was replayed.
  SSSI      reject   elle, 0.0 ms Shown by fractured-read-ao, G-single-process.
  StrongSI  reject   elle, 0.0 ms Shown by fractured-read-ao, G-single-process.
  SSER      reject   elle, 0.0 ms Shown by fractured-read-ao, G-single-process.

strongest level that holds:  PL-3, RC
weakest level violated:      RA

1. fractured-read-co: one write of a transaction is read, and for another key that it wrote a version of its causal past
   (TAP: k FracturedReadCO)
   violates RA and all that imply it
   T0 –WW 1→ T⊥ –SO→ T0
   - T1 (read 1 = nil) reads the version of T⊥, although it comes after T0 (T0 –SO→ T1), which writes 1, too: so T0 wrote 1 before T⊥.
   - The initial transaction T⊥ comes before all others.
     T0 (initial:1): write 1 = 5
     T⊥, the initial transaction, which writes every key before all others
     T1 (initial:2): read 1 = nil

2. fractured-read-ao: one write of a transaction is read, and for another key that it wrote a version that RA puts before it
   (TAP: l FracturedReadAO)
   violates RA and all that imply it
   T1 –RW 1→ T0 –SO→ T1
   - T1 read the initial version of key 1, which T0 overwrote with 5.
   - Process 0 executed T0 before T1.
     T1 (initial:2): read 1 = nil
     T0 (initial:1): write 1 = 5

3. co-conflict-ao: a version is read that was overwritten in the causal past of the reader
   (TAP: m COConflictAO)
   violates CC and all that imply it
   T0 –WW 1→ T⊥ –SO→ T0
   - T3 (read 1 = nil) reads the version of T⊥, although it comes after T0 (T0 –WR 1→ T2 –SO→ T3), which writes 1, too: so T0 wrote 1 before T⊥.
   - The initial transaction T⊥ comes before all others.
     T0 (initial:1): write 1 = 5
     T⊥, the initial transaction, which writes every key before all others
     T2 (initial:3): read 1 = 5
     T3 (initial:4): read 1 = nil

4. G-single-process: a cycle with exactly one anti-dependency, and session order
   violates SI and all that imply it
   T1 –RW 1→ T0 –SO→ T1
   - T1 read the initial version of key 1, which T0 overwrote with 5.
   - Process 0 executed T0 before T1.
     T1 (initial:2): read 1 = nil
     T0 (initial:1): write 1 = 5

note: The recording has no times, so that levels with real time say no more than those without.
commit order for GSI: T1 T0 T3 T2
c4: 0.0 ms for RC, RA, CC
elle: 0.0 ms for PL-1, PL-2, PL-2L, PL-2+, PL-2.99, PL-SI, PL-3, RC, RA, CC, PC, SI, SER, GSI, SSSI, StrongSI, SSER
reading: 0.0 ms
