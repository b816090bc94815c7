serial: 3 transactions in 2 sessions, 5 operations on 2 keys, read as edn

  PL-1      accept   elle, 0.0 ms An order of all transactions, one after the other, that real time and sessions allow was replayed.
  PL-2      accept   elle, 0.0 ms An order of all transactions, one after the other, that real time and sessions allow was replayed.
  PL-2L     accept   elle, 0.0 ms An order of all transactions, one after the other, that real time and sessions allow was replayed.
  PL-2+     accept   elle, 0.0 ms An order of all transactions, one after the other, that real time and sessions allow was replayed.
  PL-2.99   accept   elle, 0.0 ms An order of all transactions, one after the other, that real time and sessions allow was replayed.
  PL-SI     accept   elle, 0.0 ms An order of all transactions, one after the other, that real time and sessions allow was replayed.
  PL-3      accept   elle, 0.0 ms An order of all transactions, one after the other, that real time and sessions allow was replayed.
  RC        accept   c4, 0.0 ms
  RA        accept   c4, 0.0 ms
  CC        accept   c4, 0.0 ms
  PC        accept   elle, 0.0 ms An order of all transactions, one after the other, that real time and sessions allow was replayed.
  SI        accept   elle, 0.0 ms An order of all transactions, one after the other, that real time and sessions allow was replayed.
  SER       accept   elle, 0.0 ms An order of all transactions, one after the other, that real time and sessions allow was replayed.
  GSI       accept   elle, 0.0 ms An order of all transactions, one after the other, that real time and sessions allow was replayed.
  SSSI      accept   elle, 0.0 ms An order of all transactions, one after the other, that real time and sessions allow was replayed.
  StrongSI  accept   elle, 0.0 ms An order of all transactions, one after the other, that real time and sessions allow was replayed.
  SSER      accept   elle, 0.0 ms An order of all transactions, one after the other, that real time and sessions allow was replayed.

strongest level that holds:  SSER

commit order for SSER: S0.1 S1.1 S0.2
sessions: 0.0 ms for SSSI, StrongSI, SSER
c4: 0.0 ms for RC, RA, CC
elle: 0.0 ms for PL-1, PL-2, PL-2L, PL-2+, PL-2.99, PL-SI, PL-3, RC, RA, CC, PC, SI, SER, GSI, SSSI, StrongSI, SSER
reading: 0.0 ms
