unread: not read

  PL-1      unknown  The time ran out.
  PL-2      unknown  The time ran out.
  PL-2L     unknown  The time ran out.
  PL-2+     unknown  The time ran out.
  PL-2.99   unknown  The time ran out.
  PL-SI     unknown  The time ran out.
  PL-3      unknown  The time ran out.
  RC        unknown  The time ran out.
  RA        unknown  The time ran out.
  CC        unknown  The time ran out.
  PC        unknown  The time ran out.
  SI        unknown  The time ran out.
  SER       unknown  The time ran out.
  GSI       unknown  The time ran out.
  SSSI      unknown  The time ran out.
  StrongSI  unknown  The time ran out.
  SSER      unknown  The time ran out.

strongest level that holds:  none of these

reading: 0.0 ms
