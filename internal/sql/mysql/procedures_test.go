package mysql_test

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/mariatest"
	"github.com/txrobust/robust/sqlmodel"
)

var (
	procedures    = flag.Int("procedures", 150, "how many random procedures to compare with a server")
	procedureSeed = flag.Uint64("procedures.seed", 20261128, "where their random numbers begin")
)

// TestProcedures runs random procedures on random rows and arguments, both on a real server and, translated, in the
// interpreter: results, values of OUT parameters and the rows afterwards must be the same.
func TestProcedures(t *testing.T) {
	server := mariatest.Open(t)
	d := &differ{T: t, rng: rand.New(rand.NewPCG(*procedureSeed, 2)), conn: server.Conn(t)}
	schema, err := os.ReadFile(filepath.Join("testdata", "diff", "schema.sql"))
	if err != nil {
		t.Fatal(err)
	}
	d.exec(string(schema))
	d.exec(procedureFunctions)
	same, unread := 0, 0
	for i := range *procedures {
		g := &procedureGen{rng: d.rng}
		text := g.procedure("p" + strconv.Itoa(i))
		prog, err := sqlmodel.Parse([]sqlmodel.File{{Name: "schema.sql", Text: string(schema)}, {Name: "p.sql", Text: procedureFunctions + "DELIMITER //\n" + text + "//\n"}}, sqlmodel.Options{MySQL: true})
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		d.prog, d.machine = prog, interp.NewMachine(prog, engine.MariaDB())
		d.machine.Trace = true
		if modelled(prog) != "" || len(prog.Txns) != 1 {
			unread++
			t.Logf("%s\n%s", modelled(prog), text)
			continue
		}
		d.exec(text)
		for range 4 {
			d.fill()
			if d.call(prog.Txns[0], g, text) {
				same++
			}
		}
	}
	t.Logf("seed %d: %d procedures, %d calls with the same outcome, %d procedures not modelled", *procedureSeed, *procedures, same, unread)
	if same == 0 || unread > *procedures/4 {
		t.Errorf("%d calls and %d procedures that are not modelled say too little", same, unread)
	}
}

// procedureFunctions are the functions that random procedures call.
const procedureFunctions = `CREATE FUNCTION twice(x INT) RETURNS INT DETERMINISTIC RETURN x * 2;
CREATE FUNCTION kind_of(x INT) RETURNS INT DETERMINISTIC
BEGIN
  DECLARE y INT DEFAULT 3;
  IF x > 1 THEN RETURN y; ELSEIF x IS NULL THEN SET y = 7; END IF;
  WHILE y > 2 DO SET y = y - 1; END WHILE;
  RETURN y;
END;
CREATE FUNCTION rows_from(x INT) RETURNS INT READS SQL DATA
BEGIN
  DECLARE c INT;
  SELECT COUNT(*) INTO c FROM a WHERE a.id >= x;
  RETURN c + (SELECT COUNT(*) FROM a WHERE a.n = x);
END;
`

// modelled gives the first thing in a program that is not modelled.
func modelled(prog *ir.Program) string {
	out := ""
	for _, txn := range prog.Txns {
		ir.Walk(txn.Body, func(s ir.Stmt) {
			if u, ok := s.(*ir.Unmodelled); ok && out == "" {
				out = fmt.Sprintf("%s: %s", u.Pos, u.Reason)
			}
		})
	}
	return out
}

// call runs a procedure once. It reports whether both sides committed.
func (d *differ) call(txn *ir.Txn, g *procedureGen, text string) bool {
	in := &interp.Instance{Txn: txn, ID: 1}
	var args []string
	given := map[string]ir.Value{}
	for _, p := range g.params {
		if p.out {
			args = append(args, "@"+p.name)
			continue
		}
		lit := d.literal(ir.IntType, true)
		args = append(args, lit)
		given[p.name] = value1(sql.NullString{String: lit, Valid: lit != "NULL"}, ir.IntType)
	}
	for _, q := range txn.Params { // the others are variables of the session
		v, ok := given[q.Name]
		if !ok {
			v = ir.Null
		}
		in.Params = append(in.Params, v)
	}
	d.exec("SET @u = NULL")
	before := interp.NewDB(d.prog, d.read())
	d.exec("SET innodb_lock_wait_timeout = 2")
	command := "CALL " + g.name + "(" + strings.Join(args, ", ") + ")"
	lines, failed := d.results(command)
	want := "error"
	if failed == nil {
		d.exec("COMMIT")
		if outs := g.outs(); outs != "" {
			more, err := d.results("SELECT " + outs)
			if err != nil {
				d.Fatal(err)
			}
			lines = append(lines, more...)
		}
		want = d.normal(lines, interp.NewDB(d.prog, d.read()))
	} else {
		d.exec("ROLLBACK")
	}
	untouched := failed == nil && d.normal(nil, interp.NewDB(d.prog, d.read())) == d.normal(nil, before)
	var got []string
	for _, run := range d.machine.Runs(in, d.state, nil, true) {
		why := run.Blocked
		if why == "" {
			_, why = d.machine.Commit(run, d.state, nil)
		}
		if why != "" {
			if failed != nil || untouched {
				return false
			}
			got = append(got, "blocked: "+why)
			continue
		}
		var out []string
		for _, step := range run.Steps {
			for _, row := range step.Emitted {
				out = append(out, line(printed(row)))
			}
		}
		outcome := d.normal(out, run.After)
		if outcome == want {
			return true
		}
		got = append(got, outcome)
	}
	d.Errorf("%s\nserver (%v):\n%s\ninterpreter:\n%s\nrows:\n%s\n%s\n%s", command, failed, want, strings.Join(got, "\n--- or\n"), d.normal(nil, d.state), text, txn)
	return false
}

// printed gives values as the server prints them.
func printed(row []ir.Value) []sql.NullString {
	var out []sql.NullString
	for _, v := range row {
		s := v.S
		if v.Kind == ir.KindInt {
			s = strconv.FormatInt(v.I, 10)
		}
		out = append(out, sql.NullString{String: s, Valid: !v.IsNull()})
	}
	return out
}

// results gives the rows of all results of a command.
func (d *differ) results(command string) ([]string, error) {
	rows, err := d.conn.QueryContext(context.Background(), command)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []string
	for {
		more, err := scanned(rows)
		if err != nil {
			return nil, err
		}
		for _, row := range more {
			out = append(out, line(row))
		}
		if !rows.NextResultSet() {
			return out, rows.Err()
		}
	}
}

// procedureGen makes a random procedure. Names of variables are those of columns, too.
type procedureGen struct {
	rng    *rand.Rand
	name   string
	params []procedureParam
	vars   []string
	labels int
	depth  int
	// loops is how many loops are around.
	loops int
}

type procedureParam struct {
	name string
	out  bool
}

// outs are the variables of the session for OUT parameters, in the order of their names.
func (g *procedureGen) outs() string {
	var out []string
	for _, p := range g.params {
		if p.out {
			out = append(out, "@"+p.name)
		}
	}
	return strings.Join(out, ", ")
}

func (g *procedureGen) pick(list ...string) string { return list[g.rng.IntN(len(list))] }

func (g *procedureGen) procedure(name string) string {
	g.name = name
	var params []string
	for _, p := range []string{"id", "q"}[:g.rng.IntN(3)] {
		g.params, g.vars = append(g.params, procedureParam{p, false}), append(g.vars, p)
		params = append(params, "IN "+p+" INT")
	}
	if g.rng.IntN(2) == 0 {
		g.params, g.vars = append(g.params, procedureParam{"res", true}), append(g.vars, "res")
		params = append(params, "OUT res INT")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "CREATE PROCEDURE %s(%s)\nmain: BEGIN\n", name, strings.Join(params, ", "))
	for _, v := range []string{"m", "v", "done"} {
		g.vars = append(g.vars, v)
		fmt.Fprintf(&b, "DECLARE %s INT%s;\n", v, g.pick("", " DEFAULT 0", " DEFAULT 2"))
	}
	b.WriteString("DECLARE cur CURSOR FOR SELECT a.id, a.n FROM a" + g.pick("", " WHERE a.n > 1") + " ORDER BY a.id;\n")
	b.WriteString(g.pick("", "DECLARE CONTINUE HANDLER FOR NOT FOUND SET done = 1;\n", "DECLARE EXIT HANDLER FOR NOT FOUND BEGIN SET v = 9; END;\n"))
	b.WriteString(g.pick("", "DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK; RESIGNAL; END;\n", "DECLARE CONTINUE HANDLER FOR 1062 SET done = done + 1;\n"))
	b.WriteString("START TRANSACTION;\n" + g.list(2+g.rng.IntN(4)))
	b.WriteString(g.pick("COMMIT;\n", "IF "+g.cond()+" THEN ROLLBACK; ELSE COMMIT; END IF;\n"))
	b.WriteString("END")
	return b.String()
}

func (g *procedureGen) list(n int) string {
	var b strings.Builder
	for range n {
		b.WriteString(g.statement())
	}
	return b.String()
}

func (g *procedureGen) variable() string { return g.vars[g.rng.IntN(len(g.vars))] }

func (g *procedureGen) value() string {
	switch g.rng.IntN(6) {
	case 0:
		return g.variable() + " + 1"
	case 1:
		return "IFNULL(" + g.variable() + ", 1)"
	case 2, 3:
		return strconv.Itoa(g.rng.IntN(5))
	}
	return g.variable()
}

func (g *procedureGen) cond() string {
	switch g.rng.IntN(8) {
	case 0:
		return g.variable() + " IS " + g.pick("", "NOT ") + "NULL"
	case 1:
		return g.pick("", "NOT ") + g.variable()
	case 2:
		return "ROW_COUNT() " + g.pick("=", ">") + " 0"
	case 3:
		return g.pick("("+g.variable()+" > 1 OR "+g.variable()+" = "+g.value()+")", g.variable()+" IS NULL OR "+g.variable()+" IS NULL")
	case 4:
		return "EXISTS (SELECT 1 FROM a WHERE a.n = " + g.variable() + ")"
	case 5:
		return g.variable() + " BETWEEN 1 AND " + g.value()
	}
	return g.variable() + " " + g.pick("=", "<>", "<", ">=", "!=") + " " + g.value()
}

// row is a condition on a row of table a, in which a name of a variable means the variable.
func (g *procedureGen) row() string {
	return g.pick("a.id = "+g.value(), "a.n = "+g.value(), "a.id > "+g.variable(), "m = 7", "id = 1", "a.n IN (m, 2)")
}

func (g *procedureGen) statement() string {
	g.depth++
	defer func() { g.depth-- }()
	if g.depth < 4 && g.rng.IntN(3) == 0 {
		return g.compound()
	}
	switch g.rng.IntN(12) {
	case 9:
		return "SELECT @u := a.m FROM a WHERE a.id = " + g.value() + ";\nSET " + g.variable() + " = @u;\n"
	case 10:
		return "SET " + g.variable() + " = " + g.pick("twice(", "kind_of(", "rows_from(") + g.value() + ");\n"
	case 11:
		return g.pick("UPDATE a SET m = twice(a.m) WHERE "+g.row()+";\n", "UPDATE a SET m = kind_of("+g.variable()+") WHERE "+g.row()+";\n",
			"UPDATE a SET m = LAST_INSERT_ID(m + 1) WHERE a.id = "+g.value()+";\n", "EXECUTE IMMEDIATE 'UPDATE a SET m = ? WHERE id = 1' USING "+g.variable()+";\n",
			"SELECT rows_from("+g.value()+") INTO "+g.variable()+";\n")
	case 0, 1:
		return "SET " + g.variable() + " = " + g.value() + g.pick("", ", "+g.variable()+" := "+g.value()) + ";\n"
	case 2:
		return "SELECT a.n, a.m INTO v, m FROM a WHERE a.id = " + g.value() + g.pick("", " FOR UPDATE") + ";\n"
	case 3:
		return "SELECT COUNT(*) INTO " + g.variable() + " FROM a WHERE " + g.row() + ";\n"
	case 4:
		return "UPDATE a SET m = " + g.pick("m + 1", "a.m + 1", "id", "v") + " WHERE " + g.row() + ";\n"
	case 5:
		return "INSERT INTO a (id, n, m) VALUES (" + g.value() + ", " + g.value() + ", 5);\n"
	case 6:
		return "DELETE FROM a WHERE " + g.row() + ";\n"
	case 7:
		return g.pick("SELECT "+g.variable()+", ROW_COUNT();\n", "SELECT a.id, m, n FROM a ORDER BY a.id;\n", "SELECT a.id AS v FROM a WHERE "+g.row()+" ORDER BY a.id;\n")
	}
	if g.loops == 0 && g.rng.IntN(3) == 0 {
		return "LEAVE main;\n"
	}
	return g.pick("SIGNAL SQLSTATE '45000';\n", "SET v = ROW_COUNT();\n", "SAVEPOINT s1;\n", "INSERT INTO k (name, v) VALUES ('a', v);\n", "INSERT INTO k SET name = 'b', v = v;\n",
		"INSERT INTO k (name, v) VALUES ('c', m) ON DUPLICATE KEY UPDATE v = VALUES(v) + v;\n")
}

// compound is a statement with others inside of it.
func (g *procedureGen) compound() string {
	g.labels++
	l := "l" + strconv.Itoa(g.labels)
	inner := func() string { return g.list(1 + g.rng.IntN(2)) }
	switch g.rng.IntN(8) {
	case 6:
		g.loops++
		defer func() { g.loops-- }()
		return fmt.Sprintf("%s: FOR i IN %s%s DO\n%sSET m = i;\nEND FOR;\n", l, g.pick("", "REVERSE "), g.pick("1..2", "m..2", "0 .. 1"), inner())
	case 7:
		g.loops++
		defer func() { g.loops-- }()
		return fmt.Sprintf("%s: FOR r IN (SELECT a.id, a.n FROM a%s ORDER BY a.id) DO\nSET v = r.n;\n%sUPDATE a SET m = r.id + m WHERE a.id = r.id;\nEND FOR;\n", l, g.pick("", " WHERE a.n > v"), inner())
	case 0:
		return "IF " + g.cond() + " THEN\n" + inner() + g.pick("", "ELSEIF "+g.cond()+" THEN\n"+inner()) + g.pick("", "ELSE\n"+inner()) + "END IF;\n"
	case 1:
		return "CASE " + g.variable() + " WHEN 1 THEN\n" + inner() + "WHEN " + g.value() + " THEN\n" + inner() + "ELSE\n" + inner() + "END CASE;\n"
	case 2:
		g.loops++
		defer func() { g.loops-- }()
		return fmt.Sprintf("BEGIN\nDECLARE i%[1]s INT DEFAULT 0;\n%[1]s: WHILE i%[1]s < 2 DO\nSET i%[1]s = i%[1]s + 1;\n%[2]s%[3]sEND WHILE;\nEND;\n", l, inner(), g.pick("", "IF "+g.cond()+" THEN ITERATE "+l+"; END IF;\n"))
	case 3:
		g.loops++
		defer func() { g.loops-- }()
		return fmt.Sprintf("BEGIN\nDECLARE i%[1]s INT DEFAULT 0;\n%[1]s: LOOP\nSET i%[1]s = i%[1]s + 1;\nIF i%[1]s > 2 THEN LEAVE %[1]s; END IF;\n%[2]sEND LOOP;\nEND;\n", l, inner())
	case 4:
		return "BEGIN\nDECLARE v INT DEFAULT " + g.value() + ";\n" + inner() + "END;\n"
	}
	g.loops++
	defer func() { g.loops-- }()
	return "BEGIN\nDECLARE done, x, y INT DEFAULT 0;\nDECLARE c CURSOR FOR SELECT a.id, a.n FROM a" + g.pick("", " WHERE a.n > v") + " ORDER BY a.id;\nDECLARE CONTINUE HANDLER FOR NOT FOUND SET done = 1;\nOPEN c;\n" +
		g.pick(l+": LOOP\nFETCH c INTO x, y;\nIF done THEN LEAVE "+l+"; END IF;\n"+inner()+"END LOOP;\n",
			"REPEAT\nFETCH c INTO x, y;\nIF NOT done THEN\n"+inner()+"END IF;\nUNTIL done END REPEAT;\n",
			"FETCH c INTO x, y;\nWHILE done = 0 DO\n"+inner()+"FETCH c INTO x, y;\nEND WHILE;\n") + "CLOSE c;\nEND;\n"
}

// TestProcedureFaults: what is wrong in a body has its place, and what to do.
func TestProcedureFaults(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{"BEGIN UPDATE t SET v = 1", "p.sql:2:51: the body ends before END; complete it"},
		{"BEGIN IF i > 1 UPDATE t SET v = 1; END IF; END", "p.sql:2:60: the statement ends before THEN; complete it"},
		{"BEGIN a: LOOP LEAVE b; END LOOP; END", "p.sql:2:41: there is no label b around this statement; check the spelling"},
		{"BEGIN a: BEGIN ITERATE a; END; END", "p.sql:2:42: there is no label a around this statement; check the spelling"},
		{"BEGIN UPDAT t SET v = 1; END", "p.sql:2:33: UPDAT is not a statement that is read in a procedure; check the spelling"},
		{"BEGIN CALL q(); END", "p.sql:2:33: q has 1 parameters, but is called with 0 arguments; mend the call"},
		{"BEGIN END END", "p.sql:2:37: the body must end here, but END follows; check that each BEGIN, IF, CASE and loop has its END"},
		{"BEGIN DECLARE a INT SET a = 1; END", "p.sql:2:47: here should be ; or DEFAULT, not SET"},
	} {
		text := "CREATE TABLE t (id INT PRIMARY KEY, v INT); CREATE PROCEDURE q(IN a INT) DELETE FROM t WHERE id = a;\nCREATE PROCEDURE p(i INT) " + c.body
		_, err := sqlmodel.Parse([]sqlmodel.File{{Name: "p.sql", Text: text}}, sqlmodel.Options{MySQL: true})
		if err == nil {
			err = errors.New("no fault")
		}
		if err.Error() != c.want {
			t.Errorf("%s\ngot  %v\nwant %s", c.body, err, c.want)
		}
	}
}
