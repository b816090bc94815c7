package ir

// The text forms of statements and expressions.

func (s *Assign) String() string { return StmtString(s) }

func (s *Havoc) String() string { return StmtString(s) }

func (s *Select) String() string { return StmtString(s) }

func (s *Emit) String() string { return StmtString(s) }

func (s *EmitRows) String() string { return StmtString(s) }

func (s *Insert) String() string { return StmtString(s) }

func (s *Update) String() string { return StmtString(s) }

func (s *Delete) String() string { return StmtString(s) }

func (s *Cascade) String() string { return StmtString(s) }

func (s *If) String() string { return StmtString(s) }

func (s *Block) String() string { return StmtString(s) }

func (s *While) String() string { return StmtString(s) }

func (s *ForRange) String() string { return StmtString(s) }

func (s *Foreach) String() string { return StmtString(s) }

func (s *Break) String() string { return StmtString(s) }

func (s *Continue) String() string { return StmtString(s) }

func (s *Return) String() string { return StmtString(s) }

func (s *Assume) String() string { return StmtString(s) }

func (s *Abort) String() string { return StmtString(s) }

func (s *Savepoint) String() string { return StmtString(s) }

func (s *RollbackTo) String() string { return StmtString(s) }

func (s *Unmodelled) String() string { return StmtString(s) }

func (s *CopyTable) String() string { return StmtString(s) }

func (s *Fail) String() string { return StmtString(s) }

func (s *LockTable) String() string { return StmtString(s) }

func (s *LockRows) String() string { return StmtString(s) }

func (s *Dropped) String() string { return StmtString(s) }

func (s *Send) String() string { return StmtString(s) }

func (e *Const) String() string { return ExprString(e) }

func (e *Var) String() string { return ExprString(e) }

func (e *Col) String() string { return ExprString(e) }

func (e *Unary) String() string { return ExprString(e) }

func (e *Binary) String() string { return ExprString(e) }

func (e *Cond) String() string { return ExprString(e) }

func (e *Call) String() string { return ExprString(e) }

func (e *Exists) String() string { return ExprString(e) }
