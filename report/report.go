package report

import (
	"strings"

	"github.com/txrobust/robust/internal/crosscheck"
	"github.com/txrobust/robust/internal/witness"
	"github.com/txrobust/robust/ir"
)

// Verdict is the answer of a check.
type Verdict string

const (
	// Robust: proved, for any number of sessions, transactions, rows and values
	// (or, for a finite program, for all of its executions).
	Robust Verdict = "robust"
	// NotRobust: there is a confirmed execution without a serial equivalent.
	NotRobust Verdict = "not-robust"
	// Unknown: neither, within the bounds.
	Unknown Verdict = "unknown"
)

// Report is the result of a check. Its JSON is described by schema.json.
type Report struct {
	// Program is its name: of the folder or file.
	Program string  `json:"program"`
	Verdict Verdict `json:"verdict"`
	// Headline says in a sentence how many transactions are safe, what findings concern, and
	// what is undecided.
	Headline string `json:"headline"`
	// Isolation is what was asked about: "si", "rc", "rr", "serializable" or "code".
	// Levels has the level of each transaction, unless it is "si". Engine is the name of
	// the profile, and EngineTitle what it stands for.
	Isolation   string             `json:"isolation"`
	Levels      []TransactionLevel `json:"levels,omitempty"`
	Engine      string             `json:"engine"`
	EngineTitle string             `json:"engine_title"`
	// Classic says that dependencies counted whatever the values.
	Classic      bool          `json:"classic,omitempty"`
	Transactions []Transaction `json:"transactions"`
	Findings     []Finding     `json:"findings"`
	// Refused are executions that were found and confirmed by the model, and that a
	// server does not do. They are no findings, but a fault of this program, unless
	// Stricter says that the database is known to exclude more than the model.
	Refused  []Finding `json:"refused,omitempty"`
	Stricter bool      `json:"-"`
	// ReadCommitted is what was looked for at READ COMMITTED, or nil.
	ReadCommitted *ReadCommitted `json:"read_committed"`
	// Suppressed are findings that the source or a baseline accepts. Rest is the
	// verdict on the program without their transactions, in all the ways that are
	// left: NotRobust if there is a finding in Findings. It is "" where nothing is
	// suppressed.
	Suppressed []Suppressed `json:"suppressed"`
	Rest       Verdict      `json:"rest,omitempty"`
	// Apart are writes that rest on what another transaction has read, if they were
	// looked for.
	Apart []Apart `json:"not_in_one_transaction"`
	// Stale are entries of the baseline that no finding matches.
	Stale []BaselineEntry `json:"stale_baseline,omitempty"`
	// Proof is why the verdict is robust, or nil.
	Proof *Proof `json:"proof"`
	// Open is why the verdict, or Rest, is unknown, or nil.
	Open *Open `json:"open"`
	// Explanation says more, if it was asked for.
	Explanation *Explanation `json:"explain,omitempty"`
	// Graph is the dependency graph, if it was asked for.
	Graph *Graph `json:"-"`
	// SearchPath is the schemas in which the SQL of the program looks for names without one: the verdict is
	// about sessions that have this search path.
	SearchPath []string `json:"search_path,omitempty"`
	// Assumptions are what the verdict rests on, in sentences.
	Assumptions []string `json:"assumptions"`
	// Initially are the guessed facts about the initial rows without which the proof
	// would not hold: part of the verdict.
	Initially []string `json:"assuming_initially"`
	// Premises are what the translation took for granted.
	Premises []Note `json:"premises"`
	// Havocs are the statements that could not be modelled exactly.
	Havocs []Havoc `json:"havocs"`
	// Dropped are the places where the database may refuse more than the model says.
	Dropped []Dropped `json:"dropped"`
	// Coverage counts the statements of a client program, or nil.
	Coverage *Coverage `json:"coverage,omitempty"`
	// Notes are other parts of the input that were left out.
	Notes []Note `json:"notes"`
	Stats Stats  `json:"stats"`
}

// Transaction is a template with what it touches.
type Transaction struct {
	Name string `json:"name"`
	File string `json:"file"`
	Line int    `json:"line"`
	// Level is the isolation level that the source asks for, in the words of SQL
	// ("read committed"), or "". The level that it is judged at is in Report.Levels.
	Level string `json:"level,omitempty"`
	// Above are those that it may ask for instead, "" for that of the session.
	Above []string `json:"above,omitempty"`
	// CalledBy are functions that call it: that clients call it by themselves, too, is
	// taken for granted.
	CalledBy []string `json:"called_by,omitempty"`
	// Reads and Writes name columns (table.column), tables where rows come
	// and go or a whole row is meant, or shared variables; sorted.
	Reads  []string `json:"reads"`
	Writes []string `json:"writes"`
	// Standing is "safe" (with everything: docs/soundness.md, 10), "in-findings" or
	// "undecided".
	Standing string `json:"standing"`
	// InFindings has the fingerprints of the findings that it is in, those that are
	// suppressed as well.
	InFindings []string `json:"in_findings,omitempty"`
	// Why says what is undecided, and Because has the statements that keep it so.
	Why     string `json:"why,omitempty"`
	Because []Note `json:"because,omitempty"`
}

// ReadCommitted is what a search at READ COMMITTED gave. Where that is not the level
// asked for, it has no part in the verdict.
type ReadCommitted struct {
	// Findings are those at READ COMMITTED only, beside a verdict on another level.
	// Where READ COMMITTED is the level asked for, they are the Report's own.
	Findings []Finding `json:"findings"`
	// Accepted counts those that a comment or the baseline accepts.
	Accepted int `json:"accepted"`
	// Pairs counts the combinations of an interrupted transaction and others that were searched.
	Pairs int `json:"pairs"`
	// LeftOut is what was not searched.
	LeftOut []Gap `json:"left_out"`
}

// Gap is a part of a program that was not searched.
type Gap struct {
	Transactions []string `json:"transactions"`
	Reason       string   `json:"reason"`
}

// Class says at which levels a finding is one. Findings of several classes never
// stand in one list.
type Class string

const (
	// SnapshotIsolation: the execution is one of snapshot isolation.
	SnapshotIsolation Class = "snapshot-isolation"
	// ReadCommittedOnly: it is one of READ COMMITTED.
	ReadCommittedOnly Class = "read-committed"
	// NotInOneTransaction: a write rests on what another transaction has read, which
	// is wrong at every level (Apart).
	NotInOneTransaction Class = "not-in-one-transaction"
)

// Status says how sure a finding is.
type Status string

const (
	// Confirmed: the execution was replayed and judged by the checkers of histories.
	Confirmed Status = "confirmed"
	// Suspected: it was, too, but the database may refuse it, for the Doubts. It is no
	// verdict.
	Suspected Status = "suspected"
)

// Doubt is something that the model leaves out, for which the database may refuse an
// execution.
type Doubt struct {
	// Transaction is the label in the witness, or "" if it is about all of it.
	Transaction string `json:"transaction"`
	// Kind is "row lock", "table lock", "advisory lock", "error", "engine" or "level".
	Kind string `json:"kind"`
	Text string `json:"text"`
	// Tables are those that it is about; empty means any.
	Tables   []string `json:"tables"`
	Position Position `json:"position"`
	// Settle says what to do about it.
	Settle string `json:"settle"`
}

// What a finding is made of. Their JSON is described by schema.json, too.
type (
	// Position is a place in the input: File, Line and Col.
	Position = witness.Position
	// Kind names an anomaly: write-skew, lost-update, …
	Kind = witness.Kind
	// Dependency is an edge of the cycle of a finding: why one transaction comes before
	// another.
	Dependency = witness.Edge
	// Judgement is what a checker of histories says of the execution.
	Judgement = crosscheck.Judgement
)

// Finding is an anomaly.
type Finding struct {
	Class  Class  `json:"class"`
	Status Status `json:"status"`
	// Doubts are why it is suspected only.
	Doubts []Doubt `json:"doubts,omitempty"`
	// Code is the number of the kind (Codes), and Fingerprint tells the finding
	// from others: it stays the same when lines move.
	Code        string `json:"code"`
	Fingerprint string `json:"fingerprint"`
	Kind        Kind   `json:"kind"`
	// Cycle names the transactions in the order of the cycle, the delayed one
	// first.
	Cycle   []string         `json:"cycle"`
	Edges   []witness.Edge   `json:"edges"`
	Witness *witness.Witness `json:"witness"`
	// Opaque names functions of which only the equality of their results is
	// known. A witness that depends on them is certain once a server has run
	// it.
	Opaque []string `json:"opaque,omitempty"`
	// Depends names what only the database decides, such as "random()", and what the
	// witness does not do with all values.
	Depends []string `json:"depends,omitempty"`
	// Stale are the reads that miss what another transaction of the execution writes, and NoOrder says why no serial
	// order has the results, if an Explanation was asked for.
	Stale   []Note `json:"stale,omitempty"`
	NoOrder string `json:"no_order,omitempty"`
	// Also are findings that begin with the same read, so that one repair of it may remove
	// them all.
	Also []BaselineEntry `json:"also,omitempty"`
	// Repairs are changes that remove the finding.
	Repairs []string `json:"repairs"`
	// Proved are changes of the source with which the program is robust, the cheapest first. It is nil if they were
	// not looked for. In JSON they are in the place of Repairs then.
	Proved []provedRepair `json:"-"`
	// Validation is what checkers of histories say of the witness, each by itself.
	Validation []Judgement `json:"validation"`
	// Replay is what a server did with the witness, or nil.
	Replay *witness.Replay `json:"replay,omitempty"`
	// Trace is the history that they were shown.
	Trace *crosscheck.Trace `json:"-"`
}

// Proof is an argument that a program is robust.
type Proof struct {
	// Method says what kind of argument it is.
	Method string `json:"method"`
	// Refuted counts the dependencies, or pieces of cycles, that were proved
	// impossible.
	Refuted int `json:"edges_refuted"`
	// Facts are the inductive facts about rows that the proof uses, and Invariants
	// the same for programs.
	Facts      []string        `json:"facts"`
	Invariants []*ir.Invariant `json:"-"`
}

// Open is what stands between a program and a verdict.
type Open struct {
	// Reason says which bound ran out.
	Reason string `json:"reason"`
	// Cycles are the suspicious cycles that are left: names of transactions,
	// the delayed one first.
	Cycles [][]string `json:"cycles"`
	// Settle says what would lead to a verdict.
	Settle []string `json:"settle"`
}

// Havoc is a statement that is taken to do anything within limits.
type Havoc struct {
	Transaction string `json:"transaction"`
	File        string `json:"file"`
	Line        int    `json:"line"`
	Col         int    `json:"col"`
	Reason      string `json:"reason"`
	// Tables are those that it may read and, unless ReadOnly, write; empty
	// means all.
	Tables   []string `json:"tables"`
	ReadOnly bool     `json:"read_only"`
}

// Dropped is a lock, check or error that the model leaves out: what is proved holds with
// it, and an execution through it is suspected where it could matter.
type Dropped struct {
	Transaction string `json:"transaction"`
	File        string `json:"file"`
	Line        int    `json:"line"`
	Col         int    `json:"col"`
	// Kind is "row lock", "table lock", "advisory lock" or "error".
	Kind string `json:"kind"`
	Text string `json:"text"`
	// Tables are those that it is about; empty means any.
	Tables []string `json:"tables"`
}

// Note is a remark on a place of the input.
type Note struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Col  int    `json:"col"`
	Text string `json:"text"`
}

// Stats counts what a check took.
type Stats struct {
	// Queries were put to the solver, which took SolverMS milliseconds.
	Queries  int   `json:"queries"`
	SolverMS int64 `json:"solver_ms"`
	TotalMS  int64 `json:"total_ms"`
	// States counts states or executions that were interpreted.
	States int `json:"states"`
	// Phases are the parts of the work on a Go program, in order.
	Phases []Phase `json:"phases,omitempty"`
}

// Phase is a part of the work: its time in milliseconds, and the most memory of
// the process in it, in MB (0: not known).
type Phase struct {
	Name   string `json:"name"`
	MS     int64  `json:"ms"`
	PeakMB int64  `json:"peak_mb"`
}

// Assuming says what has to hold of the initial rows for a proof, as a part of a
// sentence, or gives "".
func (r *Report) Assuming() string {
	if len(r.Initially) == 0 {
		return ""
	}
	return "assuming that initially " + strings.Join(r.Initially, ", and ")
}
