// Package pg is the only place that knows which PostgreSQL parser is used.
// It gives the syntax trees of pg_query under short names, the tokens of the
// scanner, and positions as byte offsets.
//
// To use github.com/pganalyze/pg_query_go/v6 instead, which has the same API
// and the same trees, change the path in its two import lines below.
package pg

import (
	"errors"
	"sync"
	"unicode/utf8"

	pgquery "github.com/sqlc-dev/oliphant"
	"github.com/sqlc-dev/oliphant/parser"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Message is any syntax tree.
type Message = proto.Message

// Clone gives a copy of a tree.
func Clone(n *Node) *Node { return proto.Clone(n).(*Node) }

// The syntax trees, named as in PostgreSQL's parsenodes.h.
type (
	Node      = pgquery.Node
	RawStmt   = pgquery.RawStmt
	String    = pgquery.String
	List      = pgquery.List
	DefElem   = pgquery.DefElem
	Alias     = pgquery.Alias
	TypeName  = pgquery.TypeName
	RangeVar  = pgquery.RangeVar
	ResTarget = pgquery.ResTarget

	SelectStmt      = pgquery.SelectStmt
	InsertStmt      = pgquery.InsertStmt
	UpdateStmt      = pgquery.UpdateStmt
	DeleteStmt      = pgquery.DeleteStmt
	MergeStmt       = pgquery.MergeStmt
	MergeWhen       = pgquery.MergeWhenClause
	ReturnStmt      = pgquery.ReturnStmt
	LockStmt        = pgquery.LockStmt
	CallStmt        = pgquery.CallStmt
	TransactionStmt = pgquery.TransactionStmt
	DoStmt          = pgquery.DoStmt
	CopyStmt        = pgquery.CopyStmt
	TruncateStmt    = pgquery.TruncateStmt
	VariableSetStmt = pgquery.VariableSetStmt
	VariableShow    = pgquery.VariableShowStmt
	ConstraintsSet  = pgquery.ConstraintsSetStmt
	ExplainStmt     = pgquery.ExplainStmt
	NotifyStmt      = pgquery.NotifyStmt
	ListenStmt      = pgquery.ListenStmt

	ReturningClause    = pgquery.ReturningClause
	OnConflictClause   = pgquery.OnConflictClause
	InferClause        = pgquery.InferClause
	IndexElem          = pgquery.IndexElem
	LockingClause      = pgquery.LockingClause
	SortBy             = pgquery.SortBy
	JoinExpr           = pgquery.JoinExpr
	RangeFunction      = pgquery.RangeFunction
	RangeSubselect     = pgquery.RangeSubselect
	PartitionSpec      = pgquery.PartitionSpec
	PartitionElem      = pgquery.PartitionElem
	PartitionBoundSpec = pgquery.PartitionBoundSpec
	WithClause         = pgquery.WithClause
	CommonTableExpr    = pgquery.CommonTableExpr
	MultiAssignRef     = pgquery.MultiAssignRef
	CurrentOfExpr      = pgquery.CurrentOfExpr

	CreateStmt          = pgquery.CreateStmt
	ColumnDef           = pgquery.ColumnDef
	Constraint          = pgquery.Constraint
	TableLikeClause     = pgquery.TableLikeClause
	AlterTableStmt      = pgquery.AlterTableStmt
	AlterTableCmd       = pgquery.AlterTableCmd
	ATAlterConstraint   = pgquery.ATAlterConstraint
	RenameStmt          = pgquery.RenameStmt
	DropStmt            = pgquery.DropStmt
	IndexStmt           = pgquery.IndexStmt
	ViewStmt            = pgquery.ViewStmt
	CreateTableAsStmt   = pgquery.CreateTableAsStmt
	CreateFunctionStmt  = pgquery.CreateFunctionStmt
	FunctionParameter   = pgquery.FunctionParameter
	ObjectWithArgs      = pgquery.ObjectWithArgs
	CreateTrigStmt      = pgquery.CreateTrigStmt
	CompositeTypeStmt   = pgquery.CompositeTypeStmt
	CreateDomainStmt    = pgquery.CreateDomainStmt
	AlterDomainStmt     = pgquery.AlterDomainStmt
	CreateEnumStmt      = pgquery.CreateEnumStmt
	CreateRangeStmt     = pgquery.CreateRangeStmt
	CreatePolicyStmt    = pgquery.CreatePolicyStmt
	AlterPolicyStmt     = pgquery.AlterPolicyStmt
	RuleStmt            = pgquery.RuleStmt
	CreateForeignTable  = pgquery.CreateForeignTableStmt
	PartitionCmd        = pgquery.PartitionCmd
	CreateSeqStmt       = pgquery.CreateSeqStmt
	AlterSeqStmt        = pgquery.AlterSeqStmt
	CommentStmt         = pgquery.CommentStmt
	GrantStmt           = pgquery.GrantStmt
	AccessPriv          = pgquery.AccessPriv
	RoleSpec            = pgquery.RoleSpec
	GrantRoleStmt       = pgquery.GrantRoleStmt
	AlterDefaultPriv    = pgquery.AlterDefaultPrivilegesStmt
	CreateExtension     = pgquery.CreateExtensionStmt
	CreateSchemaStmt    = pgquery.CreateSchemaStmt
	AlterOwnerStmt      = pgquery.AlterOwnerStmt
	CreateRoleStmt      = pgquery.CreateRoleStmt
	AlterRoleStmt       = pgquery.AlterRoleStmt
	CreateStatsStmt     = pgquery.CreateStatsStmt
	VacuumStmt          = pgquery.VacuumStmt
	CreateDatabase      = pgquery.CreatedbStmt
	DropDatabase        = pgquery.DropdbStmt
	CheckPointStmt      = pgquery.CheckPointStmt
	DiscardStmt         = pgquery.DiscardStmt
	AlterEnumStmt       = pgquery.AlterEnumStmt
	AlterFunctionStmt   = pgquery.AlterFunctionStmt
	AlterObjectSchema   = pgquery.AlterObjectSchemaStmt
	AlterDatabaseSet    = pgquery.AlterDatabaseSetStmt
	AlterRoleSetStmt    = pgquery.AlterRoleSetStmt
	AlterExtensionStmt  = pgquery.AlterExtensionStmt
	ReindexStmt         = pgquery.ReindexStmt
	ClusterStmt         = pgquery.ClusterStmt
	CreatePublication   = pgquery.CreatePublicationStmt
	DefineStmt          = pgquery.DefineStmt
	SecLabelStmt        = pgquery.SecLabelStmt
	CreateCastStmt      = pgquery.CreateCastStmt
	AlterObjectDepends  = pgquery.AlterObjectDependsStmt
	CreateEventTrigStmt = pgquery.CreateEventTrigStmt

	A_Const          = pgquery.A_Const
	A_Expr           = pgquery.A_Expr
	A_ArrayExpr      = pgquery.A_ArrayExpr
	A_Indirection    = pgquery.A_Indirection
	A_Indices        = pgquery.A_Indices
	A_Star           = pgquery.A_Star
	BoolExpr         = pgquery.BoolExpr
	BooleanTest      = pgquery.BooleanTest
	CaseExpr         = pgquery.CaseExpr
	CaseWhen         = pgquery.CaseWhen
	CoalesceExpr     = pgquery.CoalesceExpr
	CollateClause    = pgquery.CollateClause
	ColumnRef        = pgquery.ColumnRef
	FuncCall         = pgquery.FuncCall
	WindowDef        = pgquery.WindowDef
	GroupingSet      = pgquery.GroupingSet
	MinMaxExpr       = pgquery.MinMaxExpr
	NamedArgExpr     = pgquery.NamedArgExpr
	NullTest         = pgquery.NullTest
	ParamRef         = pgquery.ParamRef
	RowExpr          = pgquery.RowExpr
	SQLValueFunction = pgquery.SQLValueFunction
	SetToDefault     = pgquery.SetToDefault
	SubLink          = pgquery.SubLink
	TypeCast         = pgquery.TypeCast
	Integer          = pgquery.Integer
	Float            = pgquery.Float
	Boolean          = pgquery.Boolean

	OnCommit = pgquery.OnCommitAction

	A_ConstInt   = pgquery.A_Const_Ival
	A_ConstFloat = pgquery.A_Const_Fval
	A_ConstBool  = pgquery.A_Const_Boolval
	A_ConstText  = pgquery.A_Const_Sval
)

// Kinds of A_Expr.
const (
	ExprOp         = pgquery.A_Expr_Kind_AEXPR_OP
	ExprOpAny      = pgquery.A_Expr_Kind_AEXPR_OP_ANY
	ExprOpAll      = pgquery.A_Expr_Kind_AEXPR_OP_ALL
	ExprDistinct   = pgquery.A_Expr_Kind_AEXPR_DISTINCT
	ExprSame       = pgquery.A_Expr_Kind_AEXPR_NOT_DISTINCT
	ExprNullIf     = pgquery.A_Expr_Kind_AEXPR_NULLIF
	ExprIn         = pgquery.A_Expr_Kind_AEXPR_IN
	ExprLike       = pgquery.A_Expr_Kind_AEXPR_LIKE
	ExprILike      = pgquery.A_Expr_Kind_AEXPR_ILIKE
	ExprSimilar    = pgquery.A_Expr_Kind_AEXPR_SIMILAR
	ExprBetween    = pgquery.A_Expr_Kind_AEXPR_BETWEEN
	ExprNotBetween = pgquery.A_Expr_Kind_AEXPR_NOT_BETWEEN
	ExprBetweenSym = pgquery.A_Expr_Kind_AEXPR_BETWEEN_SYM
	ExprNotBetwSym = pgquery.A_Expr_Kind_AEXPR_NOT_BETWEEN_SYM
)

// Other enumerations, each with the prefix of its kind.
const (
	BoolAnd = pgquery.BoolExprType_AND_EXPR
	BoolOr  = pgquery.BoolExprType_OR_EXPR
	BoolNot = pgquery.BoolExprType_NOT_EXPR

	IsNull    = pgquery.NullTestType_IS_NULL
	IsNotNull = pgquery.NullTestType_IS_NOT_NULL

	TestTrue       = pgquery.BoolTestType_IS_TRUE
	TestNotTrue    = pgquery.BoolTestType_IS_NOT_TRUE
	TestFalse      = pgquery.BoolTestType_IS_FALSE
	TestNotFalse   = pgquery.BoolTestType_IS_NOT_FALSE
	TestUnknown    = pgquery.BoolTestType_IS_UNKNOWN
	TestNotUnknown = pgquery.BoolTestType_IS_NOT_UNKNOWN

	MinMaxGreatest = pgquery.MinMaxOp_IS_GREATEST

	SubExists = pgquery.SubLinkType_EXISTS_SUBLINK
	SubAll    = pgquery.SubLinkType_ALL_SUBLINK
	SubAny    = pgquery.SubLinkType_ANY_SUBLINK
	SubExpr   = pgquery.SubLinkType_EXPR_SUBLINK
	SubArray  = pgquery.SubLinkType_ARRAY_SUBLINK

	SortDesc       = pgquery.SortByDir_SORTBY_DESC
	SortUsing      = pgquery.SortByDir_SORTBY_USING
	SortNullsFirst = pgquery.SortByNulls_SORTBY_NULLS_FIRST
	SortNullsLast  = pgquery.SortByNulls_SORTBY_NULLS_LAST

	SetOpNone      = pgquery.SetOperation_SETOP_NONE
	SetOpIntersect = pgquery.SetOperation_SETOP_INTERSECT
	SetOpUnion     = pgquery.SetOperation_SETOP_UNION
	SetOpExcept    = pgquery.SetOperation_SETOP_EXCEPT

	MergeMatched    = pgquery.MergeMatchKind_MERGE_WHEN_MATCHED
	MergeNotMatched = pgquery.MergeMatchKind_MERGE_WHEN_NOT_MATCHED_BY_TARGET
	CommandInsert   = pgquery.CmdType_CMD_INSERT
	CommandUpdate   = pgquery.CmdType_CMD_UPDATE
	CommandDelete   = pgquery.CmdType_CMD_DELETE

	LimitWithTies = pgquery.LimitOption_LIMIT_OPTION_WITH_TIES

	PartitionRange = pgquery.PartitionStrategy_PARTITION_STRATEGY_RANGE
	PartitionHash  = pgquery.PartitionStrategy_PARTITION_STRATEGY_HASH

	LockForKeyShare    = pgquery.LockClauseStrength_LCS_FORKEYSHARE
	LockForShare       = pgquery.LockClauseStrength_LCS_FORSHARE
	LockForNoKeyUpdate = pgquery.LockClauseStrength_LCS_FORNOKEYUPDATE
	LockForUpdate      = pgquery.LockClauseStrength_LCS_FORUPDATE
	LockWaitBlock      = pgquery.LockWaitPolicy_LockWaitBlock
	LockWaitSkip       = pgquery.LockWaitPolicy_LockWaitSkip

	JoinInner = pgquery.JoinType_JOIN_INNER
	JoinLeft  = pgquery.JoinType_JOIN_LEFT
	JoinRight = pgquery.JoinType_JOIN_RIGHT
	JoinFull  = pgquery.JoinType_JOIN_FULL

	ConflictUpdate = pgquery.OnConflictAction_ONCONFLICT_UPDATE

	ConstrNull          = pgquery.ConstrType_CONSTR_NULL
	ConstrNotNull       = pgquery.ConstrType_CONSTR_NOTNULL
	ConstrDefault       = pgquery.ConstrType_CONSTR_DEFAULT
	ConstrIdentity      = pgquery.ConstrType_CONSTR_IDENTITY
	ConstrGenerated     = pgquery.ConstrType_CONSTR_GENERATED
	ConstrCheck         = pgquery.ConstrType_CONSTR_CHECK
	ConstrPrimary       = pgquery.ConstrType_CONSTR_PRIMARY
	ConstrUnique        = pgquery.ConstrType_CONSTR_UNIQUE
	ConstrExclusion     = pgquery.ConstrType_CONSTR_EXCLUSION
	ConstrForeign       = pgquery.ConstrType_CONSTR_FOREIGN
	ConstrDeferrable    = pgquery.ConstrType_CONSTR_ATTR_DEFERRABLE
	ConstrNotDeferrable = pgquery.ConstrType_CONSTR_ATTR_NOT_DEFERRABLE
	ConstrDeferred      = pgquery.ConstrType_CONSTR_ATTR_DEFERRED
	ConstrImmediate     = pgquery.ConstrType_CONSTR_ATTR_IMMEDIATE
	ConstrEnforced      = pgquery.ConstrType_CONSTR_ATTR_ENFORCED
	ConstrNotEnforced   = pgquery.ConstrType_CONSTR_ATTR_NOT_ENFORCED

	AlterAddColumn          = pgquery.AlterTableType_AT_AddColumn
	AlterColumnDefault      = pgquery.AlterTableType_AT_ColumnDefault
	AlterDropNotNull        = pgquery.AlterTableType_AT_DropNotNull
	AlterSetNotNull         = pgquery.AlterTableType_AT_SetNotNull
	AlterSetExpression      = pgquery.AlterTableType_AT_SetExpression
	AlterDropExpression     = pgquery.AlterTableType_AT_DropExpression
	AlterDropColumn         = pgquery.AlterTableType_AT_DropColumn
	AlterAddConstraint      = pgquery.AlterTableType_AT_AddConstraint
	AlterConstraint         = pgquery.AlterTableType_AT_AlterConstraint
	AlterValidateConstraint = pgquery.AlterTableType_AT_ValidateConstraint
	AlterDropConstraint     = pgquery.AlterTableType_AT_DropConstraint
	AlterColumnType         = pgquery.AlterTableType_AT_AlterColumnType
	AlterAddIdentity        = pgquery.AlterTableType_AT_AddIdentity
	AlterSetIdentity        = pgquery.AlterTableType_AT_SetIdentity
	AlterDropIdentity       = pgquery.AlterTableType_AT_DropIdentity
	AlterAddInherit         = pgquery.AlterTableType_AT_AddInherit
	AlterAttachPartition    = pgquery.AlterTableType_AT_AttachPartition
	AlterEnableRowSecurity  = pgquery.AlterTableType_AT_EnableRowSecurity
	AlterForceRowSecurity   = pgquery.AlterTableType_AT_ForceRowSecurity
	AlterDisableRowSecurity = pgquery.AlterTableType_AT_DisableRowSecurity
	AlterDisableTrigger     = pgquery.AlterTableType_AT_DisableTrig
	AlterDisableTriggers    = pgquery.AlterTableType_AT_DisableTrigAll
	AlterDisableUserTrigger = pgquery.AlterTableType_AT_DisableTrigUser
	AlterEnableTrigger      = pgquery.AlterTableType_AT_EnableTrig
	AlterEnableTriggers     = pgquery.AlterTableType_AT_EnableTrigAll
	AlterEnableUserTrigger  = pgquery.AlterTableType_AT_EnableTrigUser
	AlterAlwaysTrigger      = pgquery.AlterTableType_AT_EnableAlwaysTrig
	AlterReplicaTrigger     = pgquery.AlterTableType_AT_EnableReplicaTrig
	AlterChangeOwner        = pgquery.AlterTableType_AT_ChangeOwner

	ObjectTable        = pgquery.ObjectType_OBJECT_TABLE
	ObjectOperator     = pgquery.ObjectType_OBJECT_OPERATOR
	ObjectCollation    = pgquery.ObjectType_OBJECT_COLLATION
	ObjectSequence     = pgquery.ObjectType_OBJECT_SEQUENCE
	ObjectForeignTable = pgquery.ObjectType_OBJECT_FOREIGN_TABLE
	ObjectColumn       = pgquery.ObjectType_OBJECT_COLUMN
	ObjectFunction     = pgquery.ObjectType_OBJECT_FUNCTION
	ObjectProcedure    = pgquery.ObjectType_OBJECT_PROCEDURE
	ObjectRoutine      = pgquery.ObjectType_OBJECT_ROUTINE
	ObjectView         = pgquery.ObjectType_OBJECT_VIEW
	NoCheckOption      = pgquery.ViewCheckOption_NO_CHECK_OPTION
	ObjectMatView      = pgquery.ObjectType_OBJECT_MATVIEW
	ObjectIndex        = pgquery.ObjectType_OBJECT_INDEX
	ObjectTrigger      = pgquery.ObjectType_OBJECT_TRIGGER
	ObjectType         = pgquery.ObjectType_OBJECT_TYPE
	ObjectDomain       = pgquery.ObjectType_OBJECT_DOMAIN
	ObjectDomainCheck  = pgquery.ObjectType_OBJECT_DOMCONSTRAINT
	ObjectConstraint   = pgquery.ObjectType_OBJECT_TABCONSTRAINT
	ObjectPolicy       = pgquery.ObjectType_OBJECT_POLICY
	ObjectRule         = pgquery.ObjectType_OBJECT_RULE
	ObjectSchema       = pgquery.ObjectType_OBJECT_SCHEMA

	ParamIn       = pgquery.FunctionParameterMode_FUNC_PARAM_IN
	ParamOut      = pgquery.FunctionParameterMode_FUNC_PARAM_OUT
	ParamInOut    = pgquery.FunctionParameterMode_FUNC_PARAM_INOUT
	ParamVariadic = pgquery.FunctionParameterMode_FUNC_PARAM_VARIADIC
	ParamTable    = pgquery.FunctionParameterMode_FUNC_PARAM_TABLE
	ParamDefault  = pgquery.FunctionParameterMode_FUNC_PARAM_DEFAULT

	ValueCurrentDate = pgquery.SQLValueFunctionOp_SVFOP_CURRENT_DATE
	ValueCurrentTime = pgquery.SQLValueFunctionOp_SVFOP_CURRENT_TIME
	ValueCurTimeN    = pgquery.SQLValueFunctionOp_SVFOP_CURRENT_TIME_N
	ValueTimestamp   = pgquery.SQLValueFunctionOp_SVFOP_CURRENT_TIMESTAMP
	ValueTimestampN  = pgquery.SQLValueFunctionOp_SVFOP_CURRENT_TIMESTAMP_N
	ValueLocalTime   = pgquery.SQLValueFunctionOp_SVFOP_LOCALTIME
	ValueLocalTimeN  = pgquery.SQLValueFunctionOp_SVFOP_LOCALTIME_N
	ValueLocalStamp  = pgquery.SQLValueFunctionOp_SVFOP_LOCALTIMESTAMP
	ValueLocalStampN = pgquery.SQLValueFunctionOp_SVFOP_LOCALTIMESTAMP_N

	TransBegin     = pgquery.TransactionStmtKind_TRANS_STMT_BEGIN
	TransStart     = pgquery.TransactionStmtKind_TRANS_STMT_START
	TransCommit    = pgquery.TransactionStmtKind_TRANS_STMT_COMMIT
	TransRollback  = pgquery.TransactionStmtKind_TRANS_STMT_ROLLBACK
	TransSavepoint = pgquery.TransactionStmtKind_TRANS_STMT_SAVEPOINT
	TransRelease   = pgquery.TransactionStmtKind_TRANS_STMT_RELEASE
	TransBackTo    = pgquery.TransactionStmtKind_TRANS_STMT_ROLLBACK_TO

	SetMulti    = pgquery.VariableSetKind_VAR_SET_MULTI
	SetValue    = pgquery.VariableSetKind_VAR_SET_VALUE
	SetDefault  = pgquery.VariableSetKind_VAR_SET_DEFAULT
	SetCurrent  = pgquery.VariableSetKind_VAR_SET_CURRENT
	SetReset    = pgquery.VariableSetKind_VAR_RESET
	SetResetAll = pgquery.VariableSetKind_VAR_RESET_ALL

	RolePublic = pgquery.RoleSpecType_ROLESPEC_PUBLIC

	OnCommitDrop = pgquery.OnCommitAction_ONCOMMIT_DROP
)

// Error is a fault that the scanner or the parser found. Offset counts bytes
// from the start of the text.
type Error struct {
	Msg    string
	Offset int
}

func (e *Error) Error() string { return e.Msg }

// newError takes over an error of the parser, which counts characters from 1
// (0 when it does not know).
func newError(text string, err error) *Error {
	out := &Error{Msg: err.Error()}
	var perr *parser.Error
	if errors.As(err, &perr) {
		out.Msg = perr.Message
		for n := perr.Cursorpos - 1; n > 0 && out.Offset < len(text); n-- {
			_, size := utf8.DecodeRuneInString(text[out.Offset:])
			out.Offset += size
		}
	}
	return out
}

// Parse gives the statements of a text. The error is an *Error.
func Parse(text string) ([]*RawStmt, error) {
	tree, err := pgquery.Parse(text)
	if err == nil {
		return tree.Stmts, nil
	}
	if stmts, ok := parseOperatorColumn(text); ok {
		return stmts, nil
	}
	return nil, newError(text, err)
}

// PlpgsqlJSON is the parser's own reading of the PL/pgSQL functions in a
// text. The translation does not use it (it has no columns, loses parts of
// the text and refuses assignments to fields of %ROWTYPE variables); tests
// compare with it.
func PlpgsqlJSON(text string) (string, error) { return pgquery.ParsePlPgSqlToJSON(text) }

// TokenKind is the class of a token.
type TokenKind uint8

const (
	Word   TokenKind = iota // a keyword or plain identifier, in lower case
	Quoted                  // a quoted identifier, without its quotes
	Number
	Text // a string constant, as written
	Param
	Punct // an operator or punctuation
	Comment
)

// Token is a token of PostgreSQL's scanner; Start and End are byte offsets.
type Token struct {
	Kind       TokenKind
	Text       string
	Start, End int
}

// Scan gives the tokens of a text, comments included. The error is an *Error.
func Scan(text string) ([]Token, error) {
	res, err := pgquery.Scan(text)
	if err != nil {
		return nil, newError(text, err)
	}
	out := make([]Token, len(res.Tokens))
	for i, t := range res.Tokens {
		tok := Token{Text: text[t.Start:t.End], Start: int(t.Start), End: int(t.End)}
		switch t.Token {
		case pgquery.Token_SQL_COMMENT, pgquery.Token_C_COMMENT:
			tok.Kind = Comment
		case pgquery.Token_SCONST, pgquery.Token_USCONST, pgquery.Token_BCONST, pgquery.Token_XCONST:
			tok.Kind = Text
		case pgquery.Token_ICONST, pgquery.Token_FCONST:
			tok.Kind = Number
		case pgquery.Token_PARAM:
			tok.Kind = Param
		case pgquery.Token_IDENT, pgquery.Token_UIDENT:
			tok.Kind, tok.Text = identifier(tok.Text)
		default:
			tok.Kind = Punct
			if t.KeywordKind != pgquery.KeywordKind_NO_KEYWORD {
				tok.Kind, tok.Text = Word, lower(tok.Text)
			}
		}
		out[i] = tok
	}
	return out, nil
}

func identifier(s string) (TokenKind, string) {
	if len(s) >= 2 && s[0] == '"' && s[len(s)-1] == '"' {
		var b []byte
		for i := 1; i < len(s)-1; i++ {
			b = append(b, s[i])
			if s[i] == '"' {
				i++
			}
		}
		return Quoted, string(b)
	}
	return Word, lower(s)
}

// lower folds ASCII letters only, as PostgreSQL does in a UTF-8 database.
func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

var nodeOneof = sync.OnceValue(func() protoreflect.OneofDescriptor {
	return (&Node{}).ProtoReflect().Descriptor().Oneofs().Get(0)
})

// Inner gives the tree that a Node holds, such as a *SelectStmt, or nil.
func Inner(n *Node) any {
	if n == nil {
		return nil
	}
	m := n.ProtoReflect()
	f := m.WhichOneof(nodeOneof())
	if f == nil {
		return nil
	}
	return m.Get(f).Message().Interface()
}

// Walk calls f for every tree inside root, which is a tree or a *Node, outer
// ones first; f says whether to go inside.
func Walk(root Message, f func(tree any) bool) {
	if root == nil || !root.ProtoReflect().IsValid() {
		return
	}
	walk(root.ProtoReflect(), f)
}

func walk(m protoreflect.Message, f func(any) bool) {
	x := m.Interface()
	if _, wrapper := x.(*Node); wrapper {
		if fd := m.WhichOneof(nodeOneof()); fd != nil {
			walk(m.Get(fd).Message(), f)
		}
		return
	}
	if !f(x) {
		return
	}
	fields := m.Descriptor().Fields()
	for i := 0; i < fields.Len(); i++ {
		fd := fields.Get(i)
		if fd.Message() == nil || !m.Has(fd) {
			continue
		}
		if fd.IsList() {
			for j, l := 0, m.Get(fd).List(); j < l.Len(); j++ {
				walk(l.Get(j).Message(), f)
			}
		} else {
			walk(m.Get(fd).Message(), f)
		}
	}
}

// Start gives the smallest offset that is recorded in a tree, or -1.
func Start(root Message) int {
	at := -1
	Walk(root, func(tree any) bool {
		m := tree.(Message).ProtoReflect()
		if fd := m.Descriptor().Fields().ByName("location"); fd != nil {
			if l := int(m.Get(fd).Int()); l >= 0 && (at < 0 || l < at) {
				at = l
			}
		}
		return true
	})
	return at
}

// StringNode makes the node of a name.
func StringNode(s string) *Node { return pgquery.MakeStrNode(s) }

// ColumnNode makes a reference to a column.
func ColumnNode(parts []string, loc int32) *Node {
	c := &ColumnRef{Location: loc}
	for _, p := range parts {
		c.Fields = append(c.Fields, StringNode(p))
	}
	return &Node{Node: &pgquery.Node_ColumnRef{ColumnRef: c}}
}

// TargetValue gives the expression of an output column.
func TargetValue(n *Node) *Node { return Inner(n).(*ResTarget).Val }

// SelectOf makes the statement SELECT e.
func SelectOf(e *Node) *SelectStmt {
	target := &Node{Node: &pgquery.Node_ResTarget{ResTarget: &ResTarget{Val: e, Location: int32(max(Start(e), 0))}}}
	return &SelectStmt{TargetList: []*Node{target}, Op: SetOpNone}
}
