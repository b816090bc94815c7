lost-update: 3 transactions in 3 sessions, 5 operations on 1 key, read as edn

  PL-1      accept   elle, 0.0 ms An order of all snapshots and commits that sessions allow was replayed, without a look at concurrent writes.
  PL-2      accept   elle, 0.0 ms An order of all snapshots and commits that sessions allow was replayed, without a look at concurrent writes.
  PL-2L     accept   brute, 0.0 ms
  PL-2+     reject   elle, 0.0 ms Shown by lost-update, G-single-item.
  PL-2.99   reject   elle, 0.0 ms Shown by lost-update, G-single-item.
  PL-SI     reject   elle, 0.0 ms Shown by lost-update, G-single-item.
  PL-3      reject   elle, 0.0 ms Shown by lost-update, G-single-item.
  RC        accept   c4, 0.0 ms
  RA        accept   c4, 0.0 ms
  CC        accept   c4, 0.0 ms
  PC        accept   elle, 0.0 ms An order of all snapshots and commits that sessions allow was replayed, without a look at concurrent writes.
  SI        reject   elle, 0.0 ms Shown by lost-update, G-single-item.
  SER       reject   elle, 0.0 ms Shown by lost-update, G-single-item.
  GSI       reject   elle, 0.0 ms Shown by lost-update, G-single-item.
  SSSI      reject   elle, 0.0 ms Shown by lost-update, G-single-item.
  StrongSI  reject   elle, 0.0 ms Shown by lost-update, G-single-item.
  SSER      reject   elle, 0.0 ms Shown by lost-update, G-single-item.

strongest level that holds:  PL-2L, PC
weakest level violated:      PL-2+, PL-2.99

1. lost-update: two transactions read one version of a key, and both overwrite it
   (Adya: G-single, G2-item; Berenson: P4 lost update)
   violates PL-2+, PL-2.99 and all that imply them
   - S0.1 [[:r x []] [:append x 1]] and S1.1 [[:r x []] [:append x 2]] both read key x as [], and both wrote it then: one update is lost.
     S0.1 (lost-update:1): read x = []; append 1 to x
     S1.1 (lost-update:2): read x = []; append 2 to x

2. G-single-item: a cycle with exactly one anti-dependency, on an item
   (Adya: G-single, G2-item)
   violates PL-2+, PL-2.99 and all that imply them
   S1.1 –RW x→ S0.1 –WW x→ S1.1
   - S1.1 did not observe S0.1's append of 1 to key x.
   - S1.1 appended 2 after S0.1 appended 1 to key x.
     S1.1 (lost-update:2): read x = []; append 2 to x
     S0.1 (lost-update:1): read x = []; append 1 to x

note: The recording has no times, so that levels with real time say no more than those without.
commit order for PC: S0.1 S1.1 S2.1
c4: 0.0 ms for RC, RA, CC
elle: 0.0 ms for PL-1, PL-2, PL-2L, PL-2+, PL-2.99, PL-SI, PL-3, RC, RA, CC, PC, SI, SER, GSI, SSSI, StrongSI, SSER
adya: 0.0 ms for PL-2L
brute: 0.0 ms for PL-2L
reading: 0.0 ms
