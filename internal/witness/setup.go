package witness

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/quote"
)

// setupWriter writes the SQL that makes the initial rows.
type setupWriter struct {
	b       *builder
	dialect quote.Dialect
	schema  string // the text of the schema, which says what may be needed
	out     []string
}

var (
	hasTriggers   = regexp.MustCompile(`(?i)\btrigger\b`)
	hasUnproven   = regexp.MustCompile(`(?i)\bnot\s+valid\b`)
	hasSequences  = regexp.MustCompile(`(?i)\b(small|big)?serial[248]?\b|\bnextval\b|\bsequence\b|\bidentity\b`)
	keepsRows     = regexp.MustCompile(`(?i)\b(rule|restrict|security|inherits)\b`) // what DELETE may leave
	alwaysDefault = regexp.MustCompile(`(?i)\bgenerated\s+always\s+as\s+identity\b`)
)

// setup gives the statements that make the initial rows the only ones, in a database
// that has the schema.
func (b *builder) setup() []string {
	if len(b.e.Program.Processes) > 0 || len(b.planTables()) == 0 {
		return []string{}
	}
	w := &setupWriter{b: b}
	var text []string
	for _, d := range b.e.Program.Schema {
		text = append(text, d.Text)
	}
	w.schema = strings.Join(text, "\n")
	if b.e.Program.MySQL {
		w.dialect = quote.MySQL
		w.mysql()
		return w.out
	}
	w.postgres()
	return w.out
}

func (w *setupWriter) add(format string, args ...any) {
	w.out = append(w.out, fmt.Sprintf(format, args...)+";")
}

// postgres writes what a client that owns the tables may do. Triggers are off
// meanwhile, foreign keys that form a cycle are checked at the end, and constraints that are
// NOT VALID, which rows may break, are made again behind the rows.
func (w *setupWriter) postgres() {
	order, cyclic := w.order()
	triggers := hasTriggers.MatchString(w.schema)
	w.add("BEGIN")
	if triggers {
		w.out = append(w.out, triggersOff)
	}
	unproven := hasUnproven.MatchString(w.schema)
	if unproven {
		w.out = append(w.out, unprovenOff)
	}
	if cyclic {
		w.out = append(w.out, keysLate)
	}
	w.clear(order, cyclic)
	always := alwaysDefault.MatchString(w.schema)
	for _, t := range order {
		w.inserts(t, always)
	}
	if cyclic || triggers || unproven {
		w.add("SET CONSTRAINTS ALL IMMEDIATE")
	}
	if cyclic {
		w.out = append(w.out, keysAgain)
	}
	if unproven {
		w.out = append(w.out, unprovenOn)
	}
	if triggers {
		w.out = append(w.out, triggersOn)
	}
	if hasSequences.MatchString(w.schema) {
		w.add("SELECT count(setval(seqrelid, %d)) FROM pg_sequence WHERE seqincrement > 0 AND %[1]d BETWEEN seqmin AND seqmax", w.highest())
	}
	w.add("COMMIT")
}

// Triggers that are on, foreign keys that are checked at the end of a statement, and
// constraints that are NOT VALID, are kept in tables that go away with the transaction.
const (
	triggersOff = `CREATE TEMP TABLE robust_triggers ON COMMIT DROP AS
  SELECT tgrelid::regclass AS of, tgname AS name, tgenabled AS mode FROM pg_trigger WHERE NOT tgisinternal AND tgenabled <> 'D';
DO $$ DECLARE t record; BEGIN FOR t IN SELECT * FROM robust_triggers LOOP
  EXECUTE format('ALTER TABLE %s DISABLE TRIGGER %I', t.of, t.name);
END LOOP; END $$;`
	triggersOn = `DO $$ DECLARE t record; BEGIN FOR t IN SELECT * FROM robust_triggers LOOP
  EXECUTE format('ALTER TABLE %s ENABLE %s TRIGGER %I', t.of, CASE t.mode WHEN 'A' THEN 'ALWAYS' WHEN 'R' THEN 'REPLICA' ELSE '' END, t.name);
END LOOP; END $$;`
	unprovenOff = `CREATE TEMP TABLE robust_unproven ON COMMIT DROP AS
  SELECT conrelid::regclass AS of, conname AS name, pg_get_constraintdef(oid) AS says FROM pg_constraint
  WHERE NOT convalidated AND conrelid <> 0 AND conparentid = 0 AND conislocal;
DO $$ DECLARE k record; BEGIN FOR k IN SELECT * FROM robust_unproven LOOP
  EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', k.of, k.name);
END LOOP; END $$;`
	unprovenOn = `DO $$ DECLARE k record; BEGIN FOR k IN SELECT * FROM robust_unproven LOOP
  EXECUTE format('ALTER TABLE %s ADD CONSTRAINT %I %s', k.of, k.name, k.says);
END LOOP; END $$;`
	keysLate = `CREATE TEMP TABLE robust_keys ON COMMIT DROP AS
  SELECT conrelid::regclass AS of, conname AS name FROM pg_constraint WHERE contype = 'f' AND NOT condeferrable AND conparentid = 0;
DO $$ DECLARE k record; BEGIN FOR k IN SELECT * FROM robust_keys LOOP
  EXECUTE format('ALTER TABLE %s ALTER CONSTRAINT %I DEFERRABLE', k.of, k.name);
END LOOP; END $$;
SET CONSTRAINTS ALL DEFERRED;`
	keysAgain = `DO $$ DECLARE k record; BEGIN FOR k IN SELECT * FROM robust_keys LOOP
  EXECUTE format('ALTER TABLE %s ALTER CONSTRAINT %I NOT DEFERRABLE', k.of, k.name);
END LOOP; END $$;`
)

// mysqlTrigger matches a declaration of a trigger of MySQL, with its name.
var mysqlTrigger = regexp.MustCompile("(?is)^create\\b(?:\\s+or\\s+replace)?(?:\\s+definer\\s*=\\s*\\S+)?\\s+trigger\\s+(?:if\\s+not\\s+exists\\s+)?(`[^`]+`|\\S+)")

// mysql writes the same for MySQL and MariaDB, which have no such switch for triggers:
// they are made after the rows.
func (w *setupWriter) mysql() {
	var triggers []string
	for _, d := range w.b.e.Program.Schema {
		if m := mysqlTrigger.FindStringSubmatch(d.Text); m != nil {
			w.add("DROP TRIGGER IF EXISTS %s", m[1])
			triggers = append(triggers, d.Text)
		}
	}
	w.add("SET SESSION foreign_key_checks = 0")
	w.add("SET SESSION sql_mode = CONCAT(@@sql_mode, ',NO_AUTO_VALUE_ON_ZERO')")
	for _, t := range w.b.planTables() {
		w.add("DELETE FROM %s", w.table(t))
	}
	order, _ := w.order()
	for _, t := range order {
		w.inserts(t, false)
	}
	w.add("SET SESSION foreign_key_checks = 1")
	for _, text := range triggers {
		w.add("%s", text)
	}
}

// clear takes all rows away, of tables that others refer to last. TRUNCATE makes new files,
// which takes long, but nothing in a schema changes what it does.
func (w *setupWriter) clear(order []*ir.Table, cyclic bool) {
	var names []string
	for _, t := range slices.Backward(order) {
		names = append(names, w.table(t))
	}
	if cyclic || keepsRows.MatchString(w.schema) {
		w.add("TRUNCATE %s", strings.Join(names, ", "))
		return
	}
	for _, name := range names {
		w.add("DELETE FROM %s", name)
	}
}

// order gives the tables, those that others refer to first. cyclic says that rows may
// refer to each other.
func (w *setupWriter) order() (order []*ir.Table, cyclic bool) {
	const open, closed = 1, 2
	state := map[*ir.Table]int{}
	var visit func(t *ir.Table)
	visit = func(t *ir.Table) {
		if state[t] != 0 {
			return
		}
		state[t] = open
		for _, fk := range t.ForeignKeys {
			if state[fk.Ref] == open && (fk.Ref != t || w.mutual(t)) && w.rows(t) && w.rows(fk.Ref) {
				cyclic = true
			}
			visit(fk.Ref)
		}
		state[t] = closed
		order = append(order, t)
	}
	for _, t := range w.b.planTables() {
		visit(t)
	}
	return order, cyclic
}

func (w *setupWriter) rows(t *ir.Table) bool { return len(w.b.x.Versions[0].Rows(w.b.index[t])) > 0 }

// mutual reports whether rows of one table refer to each other in a circle.
func (w *setupWriter) mutual(t *ir.Table) bool {
	rows := slices.Clone(w.b.x.Versions[0].Rows(w.b.index[t]))
	for len(rows) > 0 {
		i := slices.IndexFunc(rows, func(r []ir.Value) bool { return !refersTo(t, r, rows) })
		if i < 0 {
			return true
		}
		rows = slices.Delete(rows, i, i+1)
	}
	return false
}

// inserts writes the initial rows of one table, rows that others of the table refer to
// first. always says that some column takes no value without being told so.
func (w *setupWriter) inserts(t *ir.Table, always bool) {
	rows := slices.Clone(w.b.x.Versions[0].Rows(w.b.index[t]))
	var given []int
	var cols []string
	for c := range t.Columns {
		if visible(t, c) && t.Columns[c].Generated == nil {
			given, cols = append(given, c), append(cols, w.dialect.Ident(t.Columns[c].Name))
		}
	}
	overriding := ""
	if always {
		overriding = "OVERRIDING SYSTEM VALUE "
	}
	for len(rows) > 0 {
		i := max(0, slices.IndexFunc(rows, func(r []ir.Value) bool { return !refersTo(t, r, rows) }))
		parts := make([]string, 0, len(cols))
		for _, c := range given {
			parts = append(parts, w.literal(t.Columns[c].Domain, rows[i][c]))
		}
		w.add("INSERT INTO %s (%s) %sVALUES (%s)", w.table(t), strings.Join(cols, ", "), overriding, strings.Join(parts, ", "))
		rows = slices.Delete(rows, i, i+1)
	}
}

// literal is a value of a row in a column of a domain, which may be nil.
func (w *setupWriter) literal(d ir.Domain, v ir.Value) string {
	switch {
	case w.dialect == quote.MySQL:
		return mysqlConstant(v)
	case d != nil && !v.IsNull():
		return d.Literal(v)
	}
	return Value{v}.String()
}

// mysqlConstant is a value as MySQL writes it.
func mysqlConstant(v ir.Value) string {
	switch v.Kind {
	case ir.KindNull, ir.KindInt, ir.KindNum, ir.KindBool:
		return Value{v}.String()
	case ir.KindTime:
		return "'" + strings.TrimSuffix(Value{v}.text(), "+00") + "'"
	}
	return quote.MySQL.Text(Value{v}.text())
}

// maxSequence bounds the values that sequences are set beyond: larger ones are not
// reached by counting.
const maxSequence = 1 << 30

// highest is the largest integer of the rows, those that transactions write included, and of
// the parameters, which no sequence must give.
func (w *setupWriter) highest() int64 {
	highest := int64(1)
	see := func(v ir.Value) {
		if v.Kind == ir.KindInt && v.I < maxSequence {
			highest = max(highest, v.I)
		}
	}
	for _, t := range w.b.planTables() {
		for _, version := range w.b.x.Versions {
			for _, r := range version.Rows(w.b.index[t]) {
				for _, v := range r {
					see(v)
				}
			}
		}
	}
	for i := range w.b.x.Txns {
		for _, v := range w.b.x.Txns[i].Run.Inst.Params {
			see(v)
		}
	}
	return highest
}

// refersTo reports whether a row refers to another of the rows of its table.
func refersTo(t *ir.Table, row []ir.Value, rows [][]ir.Value) bool {
	for _, fk := range t.ForeignKeys {
		if want := pick(row, fk.Columns); fk.Ref == t && want != nil {
			for _, r := range rows {
				if slices.Equal(pick(r, fk.RefColumns), want) && keyOf(t, r) != keyOf(t, row) {
					return true
				}
			}
		}
	}
	return false
}

// table writes the name of a table.
func (w *setupWriter) table(t *ir.Table) string {
	if t.Qualified != "" && w.dialect == quote.Postgres {
		return w.dialect.Name(t.Qualified)
	}
	return w.dialect.Name(t.Name)
}
