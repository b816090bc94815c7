package ir

// The text forms of statements and expressions.

func (s *Assign) String() string { return stmtString(s) }

func (s *Havoc) String() string { return stmtString(s) }

func (s *Select) String() string { return stmtString(s) }

func (s *Emit) String() string { return stmtString(s) }

func (s *EmitRows) String() string { return stmtString(s) }

func (s *Insert) String() string { return stmtString(s) }

func (s *Update) String() string { return stmtString(s) }

func (s *Delete) String() string { return stmtString(s) }

func (s *Cascade) String() string { return stmtString(s) }

func (s *If) String() string { return stmtString(s) }

func (s *Block) String() string { return stmtString(s) }

func (s *While) String() string { return stmtString(s) }

func (s *ForRange) String() string { return stmtString(s) }

func (s *Foreach) String() string { return stmtString(s) }

func (s *Break) String() string { return stmtString(s) }

func (s *Continue) String() string { return stmtString(s) }

func (s *Return) String() string { return stmtString(s) }

func (s *Assume) String() string { return stmtString(s) }

func (s *Abort) String() string { return stmtString(s) }

func (s *Savepoint) String() string { return stmtString(s) }

func (s *RollbackTo) String() string { return stmtString(s) }

func (s *Unmodelled) String() string { return stmtString(s) }

func (s *CopyTable) String() string { return stmtString(s) }

func (s *Fail) String() string { return stmtString(s) }

func (s *LockTable) String() string { return stmtString(s) }

func (s *LockRows) String() string { return stmtString(s) }

func (s *Dropped) String() string { return stmtString(s) }

func (s *Send) String() string { return stmtString(s) }

func (e *Const) String() string { return exprString(e, 0) }

func (e *Var) String() string { return exprString(e, 0) }

func (e *Col) String() string { return exprString(e, 0) }

func (e *Unary) String() string { return exprString(e, 0) }

func (e *Binary) String() string { return exprString(e, 0) }

func (e *Cond) String() string { return exprString(e, 0) }

func (e *Call) String() string { return exprString(e, 0) }

func (e *Exists) String() string { return exprString(e, 0) }
