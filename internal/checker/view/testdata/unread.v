unread: not read

  PL-1      unknown
  PL-2      unknown
  PL-2L     unknown
  PL-2+     unknown
  PL-2.99   unknown
  PL-SI     unknown
  PL-3      unknown
  RC        unknown
  RA        unknown
  CC        unknown
  PC        unknown
  SI        unknown
  SER       unknown
  GSI       unknown
  SSSI      unknown
  StrongSI  unknown
  SSER      unknown

strongest level that holds:  none of these
unknown:                     PL-1, PL-2, PL-2L, PL-2+, PL-2.99, PL-SI, PL-3, RC, RA, CC, PC, SI, SER, GSI, SSSI, StrongSI, SSER
  The time ran out.

reading: 0.0 ms
