names: 3 transactions (1 of unknown outcome) in 3 sessions, 4 operations on 2 keys, read as edn

  PL-1      accept   elle, 0.0 ms Only lists show an order of versions to a level to which reads mean nothing, and there are none.
  PL-2      reject   c4, 0.0 ms Shown by thin-air-read.
  PL-2L     reject   elle, 0.0 ms Shown by thin-air-read.
  PL-2+     reject   elle, 0.0 ms Shown by thin-air-read.
  PL-2.99   reject   elle, 0.0 ms Shown by thin-air-read.
  PL-SI     reject   elle, 0.0 ms Shown by thin-air-read.
  PL-3      reject   elle, 0.0 ms Shown by thin-air-read.
  RC        reject   c4, 0.0 ms
  RA        reject   c4, 0.0 ms
  CC        reject   c4, 0.0 ms
  PC        reject   elle, 0.0 ms Shown by thin-air-read.
  SI        reject   elle, 0.0 ms Shown by thin-air-read.
  SER       reject   elle, 0.0 ms Shown by thin-air-read.
  GSI       reject   elle, 0.0 ms Shown by thin-air-read.
  SSSI      reject   elle, 0.0 ms Shown by thin-air-read.
  StrongSI  reject   elle, 0.0 ms Shown by thin-air-read.
  SSER      reject   elle, 0.0 ms Shown by thin-air-read.

strongest level that holds:  PL-1
weakest level violated:      PL-2

1. thin-air-read: a value is read that nobody wrote
   (TAP: a ThinAirRead; Elle: garbage read)
   violates PL-2 and all that imply it
   - S1.1: read </script><b>"x\ = 7.
     S1.1 (names:2): read </script><b>"x\ = 7; write :y = a\nb

note: The recording has no times, so that levels with real time say no more than those without.
commit order for PL-1: S0.1 S1.1
c4: 0.0 ms for RC, RA, CC
elle: 0.0 ms for PL-1, PL-2, PL-2L, PL-2+, PL-2.99, PL-SI, PL-3, RC, RA, CC, PC, SI, SER, GSI, SSSI, StrongSI, SSER
reading: 0.0 ms
