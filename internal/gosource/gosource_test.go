package gosource

import (
	"cmp"
	"fmt"
	"go/format"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// source has these files, by name and text in turn.
func source(files ...string) *Source {
	var p Parser
	s := &Source{}
	for i := 0; i < len(files); i += 2 {
		p.Add(s, files[i], files[i+1])
	}
	return s
}

// apply makes edits of a file, and formats it.
func apply(t *testing.T, text string, edits []Edit) string {
	t.Helper()
	slices.SortStableFunc(edits, func(a, b Edit) int { return cmp.Compare(b.At, a.At) })
	for _, e := range edits {
		text = text[:e.At] + e.Text + text[e.End:]
	}
	out, err := format.Source([]byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return string(out)
}

// at is the place of a word in a text, where it stands first.
func at(file, text, word string) Position {
	before := text[:strings.Index(text, word)]
	return Position{file, strings.Count(before, "\n") + 1, len(before) - strings.LastIndex(before, "\n")}
}

// TestTexts: the nearest text with the value counts, and the same bytes elsewhere do not.
func TestTexts(t *testing.T) {
	const text = `package p

const other = "SELECT 1"

func f() {
	send("SELECT 1")
}

func g() {
	q := "SELECT 1"
	sendQ(q)
}

func h() { sendC(list.named) }

const named = "SELECT" + " " + one

const one = "1"
`
	const more = "package p\n\nvar spare = \"SELECT 1\"\n"
	s := source("p/a.go", text, "p/b.go", more)
	for word, want := range map[string]string{"send(": "p/a.go:6", "sendQ": "p/a.go:10", "sendC": "p/a.go:16", "const other": "p/a.go:10 p/a.go:16 p/a.go:3 p/a.go:6 p/b.go:3"} {
		var got []string
		for _, x := range s.Texts(at("p/a.go", text, word), "SELECT 1") {
			got = append(got, fmt.Sprintf("%s:%d", x.file.Name, x.file.fset.Position(x.from).Line))
		}
		slices.Sort(got)
		if strings.Join(got, " ") != want {
			t.Errorf("%s: the texts are at %v, want %s", word, got, want)
		}
	}
	if list := s.Texts(at("p/a.go", text, "send("), "SELECT 2"); list != nil {
		t.Errorf("a text that is nowhere is found: %v", list)
	}
}

// TestReplace writes random texts as literals of Go in random ways, changes their values by edits of the source, and
// reads the source again: the value is the changed one.
func TestReplace(t *testing.T) {
	const seed = 7
	rnd := rand.New(rand.NewPCG(seed, 0))
	random := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteRune([]rune("ab \n\t\"\\'%é世\x01$;-")[rnd.IntN(15)])
		}
		return b.String()
	}
	made := 0
	for range 4000 {
		var lits []string
		value := ""
		for range 1 + rnd.IntN(3) {
			part := random(rnd.IntN(8))
			value += part
			switch {
			case rnd.IntN(2) == 0 && strconv.CanBackquote(strings.ReplaceAll(part, "\n", "")):
				lits = append(lits, "`"+part+"`")
			case rnd.IntN(2) == 0:
				lits = append(lits, strconv.QuoteToASCII(part))
			default:
				lits = append(lits, strconv.Quote(part))
			}
		}
		if value == "" {
			continue
		}
		src := "package p\n\nvar x = " + strings.Join(lits, " + ") + "\n"
		list := source("a.go", src).withValue(value, func(*Text) bool { return true })
		if len(list) != 1 {
			t.Fatalf("seed %d: %d texts in %s", seed, len(list), src)
		}
		from := rnd.IntN(len(value) + 1)
		to := from + rnd.IntN(2)*rnd.IntN(len(value)+1-from)
		if whole := func(i int) bool { return i == len(value) || utf8.RuneStart(value[i]) }; !whole(from) || !whole(to) {
			continue
		}
		ins := strings.ReplaceAll(random(3), "\n", " ")
		e, ok := list[0].Replace(from, to, ins)
		if !ok {
			continue
		}
		made++
		want := value[:from] + ins + value[to:]
		if want == "" {
			continue
		}
		changed := src[:e.At] + e.Text + src[e.End:]
		if _, err := parser.ParseFile(token.NewFileSet(), "", changed, 0); err != nil {
			t.Fatalf("seed %d: %v: %q", seed, err, changed)
		}
		if got := source("a.go", changed).withValue(want, func(*Text) bool { return true }); len(got) != 1 {
			t.Fatalf("seed %d: %q became %q, whose value is not %q", seed, src, changed, want)
		}
	}
	if made < 2000 {
		t.Errorf("only %d changes were made", made)
	}
}

// TestRaise: a transaction gets a level in each form in which it begins, and the file imports what it needs.
func TestRaise(t *testing.T) {
	file := func(imports, body string) string {
		return "package p\n\nimport (\n" + imports + ")\n\nfunc f(ctx context.Context, db DB) {\n\t" + body + "\n}\n"
	}
	const std = "\t\"context\"\n\t\"database/sql\"\n"
	const pgx = "\t\"context\"\n\n\t\"github.com/jackc/pgx/v5\"\n"
	const gorm = "\t\"context\"\n\n\t\"gorm.io/gorm\"\n"
	for _, tc := range []struct{ imports, body, word, want, also string }{
		{std, "db.BeginTx(ctx, nil)", "BeginTx", "db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelSerializable})", ""},
		{std, "db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})", "BeginTx", "&sql.TxOptions{Isolation: sql.LevelSerializable, ReadOnly: true})", ""},
		{std, "db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelDefault})", "BeginTx", "&sql.TxOptions{Isolation: sql.LevelSerializable})", ""},
		{std, "db.Begin()", "Begin()", "db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelSerializable})", ""},
		{"\t\"context\"\n", "db.BeginTxx(ctx, nil)", "BeginTxx", "&sql.TxOptions{Isolation: sql.LevelSerializable})", "\t\"context\"\n\t\"database/sql\"\n"},
		{pgx, "db.BeginTx(ctx, pgx.TxOptions{})", "BeginTx", "pgx.TxOptions{IsoLevel: pgx.Serializable})", ""},
		{pgx, "db.Begin(ctx)", "Begin(", "db.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.Serializable})", ""},
		{pgx, "pgx.BeginFunc(ctx, db, f)", "BeginFunc", "pgx.BeginTxFunc(ctx, db, pgx.TxOptions{IsoLevel: pgx.Serializable}, f)", ""},
		{gorm, "db.Transaction(f)", "Transaction", "db.Transaction(f, &sql.TxOptions{Isolation: sql.LevelSerializable})", "\t\"database/sql\"\n\n\t\"gorm"},
		{gorm, "db.Begin()", "Begin", "db.Begin(&sql.TxOptions{Isolation: sql.LevelSerializable})", ""},
		{std, "db.BeginTx(ctx, options)", "BeginTx", "", ""},
		{std, "begin(ctx)", "begin", "", ""},
	} {
		text := file(tc.imports, tc.body)
		edits, ok := source("a.go", text).Raise(at("a.go", text, tc.word), Serializable)
		if ok != (tc.want != "") {
			t.Errorf("%s: changed: %v", tc.body, ok)
		}
		if got := apply(t, text, edits); !strings.Contains(got, tc.want) || !strings.Contains(got, tc.also) {
			t.Errorf("%s became\n%s\nwant %q", tc.body, got, tc.want)
		}
	}
}
