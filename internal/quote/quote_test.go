package quote

import (
	"encoding/json"
	"math/rand"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/txrobust/robust/internal/pgtest"
)

// parts are what names may be made of: characters that mean something somewhere.
var parts = []string{"a", "Z", "é", "_", "0", `"`, "'", `\`, "\n", "\r", "\t", " ", "\x01", "\x1b[31m", "\x7f", "\u0085", "\u009b", "\u00a0", "\u202e", "\u2066",
	"\u2028", "\ufeff", "\U000e0001", "\U0010ffff", "$", "$$", "`", "!", `\!`, ";", ":", ":a", ":'a'", "--", "/*", "*/", "#", "&", "&amp;", "<", ">", "%", "{", "}", "[", "](x)",
	".", "/", "..", "-", "~", "|", "^", "@", "U&", "E'", "?", "\ufffd", "select", "日本", "e\u0301", "\u200d"}

func randomText(r *rand.Rand) string {
	s := ""
	for range 1 + r.Intn(5) {
		s += parts[r.Intn(len(parts))]
	}
	return s
}

// TestPrintable: nothing that cannot be printed is in any output.
func TestPrintable(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for i := range 5000 {
		s := randomText(r)
		if r.Intn(4) == 0 {
			s += "\xff\x9b"
		}
		for name, f := range map[string]func(string) string{"Line": Line, "Ident": Ident, "Literal": Literal, "DOT": DOT, "Shell": Shell, "FileName": FileName,
			"JSON": func(s string) string { text, _ := json.Marshal(s); return string(JSON(text)) }} {
			out := f(s)
			if at := strings.IndexFunc(out, func(r rune) bool { return !unicode.IsPrint(r) }); at >= 0 {
				t.Fatalf("%d: %s(%q) = %q", i, name, s, out)
			}
		}
		var back string
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(JSON(text), &back); err != nil || back != strings.ToValidUTF8(s, "\ufffd\ufffd") && back != strings.ToValidUTF8(s, "\ufffd") {
			t.Fatalf("JSON of %q is %q: %v", s, back, err)
		}
	}
	for in, want := range map[string]string{"": "", "plain text, größer → ok": "plain text, größer → ok", "a\nb": `a\nb`, "\x1b[2J": `\x1b[2J`, "\u202ex": `\u202ex`, "\xff": `\xff`, `\`: `\`,
		"::error::x": `\x3a:error::x`, "  ##[x]": `  \x23#[x]`, "a::int": "a::int", "\n::x": `\n::x`} {
		if got := Line(in); got != want {
			t.Errorf("Line(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestQualified: parts are told apart whatever is in them.
func TestQualified(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	seen := map[string][]string{}
	for range 20000 {
		var list []string
		for range 1 + r.Intn(3) {
			list = append(list, []string{"a", "b", ".", `"`, `a.b`, `"a"`, `a"`, `".`}[r.Intn(8)])
		}
		name := Qualified(list...)
		if got := Parts(name); !slices.Equal(got, list) {
			t.Fatalf("%q: %q, then %q", list, name, got)
		}
		if old, ok := seen[name]; ok && !slices.Equal(old, list) {
			t.Fatalf("%q and %q are both %q", old, list, name)
		}
		seen[name] = list
	}
	for _, name := range []string{"", `"`, `"a`, `"a"b`, ".", "a."} { // no names, but no panic either
		Parts(name)
	}
}

// TestServer: PostgreSQL reads names and texts as they are, with both settings of
// standard_conforming_strings for texts.
func TestServer(t *testing.T) {
	srv := pgtest.Open(t)
	conn := srv.Conn(t, srv.Database(t))
	r := rand.New(rand.NewSource(3))
	exec := func(sql string) {
		t.Helper()
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	for _, word := range reserved {
		var got string
		if err := conn.QueryRow(t.Context(), "SELECT "+Ident(word)+" FROM (SELECT 'x' AS "+Ident(word)+") AS t").Scan(&got); err != nil || got != "x" {
			t.Errorf("%s: %v", word, err)
		}
	}
	// A word that needs quotes as the name of a function, a table or a column is
	// among the reserved ones.
	rows, err := conn.Query(t.Context(), "SELECT word FROM pg_get_keywords() WHERE catcode <> 'U'")
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		var word string
		if err := rows.Scan(&word); err != nil {
			t.Fatal(err)
		}
		if plainIdent(word) {
			t.Errorf("%s is not among the reserved words", word)
		}
	}
	if rows.Err() != nil {
		t.Fatal(rows.Err())
	}
	for _, setting := range []string{"on", "off"} {
		exec("SET standard_conforming_strings = " + setting + "; SET escape_string_warning = off; SET backslash_quote = on")
		for range 400 {
			s := randomText(r)
			var got string
			if err := conn.QueryRow(t.Context(), "SELECT "+Literal(s)).Scan(&got); err != nil || got != s {
				t.Fatalf("%s: %q, %v, want %q", Literal(s), got, err, s)
			}
			if setting == "off" && strings.HasPrefix(Ident(s), "U&") {
				continue // the server refuses that form
			}
			name := s
			for len(name) > 60 {
				name = name[:len(name)-1]
			}
			name = strings.ToValidUTF8(name, "")
			row, err := conn.Query(t.Context(), "SELECT 1 AS "+Ident(name))
			if err != nil {
				t.Fatalf("%s: %v", Ident(name), err)
			}
			row.Next()
			if got := row.FieldDescriptions()[0].Name; got != name {
				t.Fatalf("%s: %q, want %q", Ident(name), got, name)
			}
			row.Close()
			if row.Err() != nil {
				t.Fatal(row.Err())
			}
		}
	}
}

// TestShell: a shell reads words as they are.
func TestShell(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("SKIPPED: there is no bash")
	}
	r := rand.New(rand.NewSource(4))
	var words []string
	script := "printf '%s\\0'"
	for range 500 {
		words = append(words, randomText(r))
		script += " " + Shell(words[len(words)-1])
	}
	out, err := exec.Command(bash, "-c", script).Output()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"); !slices.Equal(got, words) {
		for i := range min(len(got), len(words)) {
			if got[i] != words[i] {
				t.Fatalf("%q is read as %q", words[i], got[i])
			}
		}
		t.Fatalf("%d words, want %d", len(got), len(words))
	}
}

// TestStatement: statements keep their meaning without what cannot be printed.
func TestStatement(t *testing.T) {
	for _, tc := range []struct{ sql, want string }{
		{"SELECT 'a\n', \"b\"", "SELECT 'a\n', \"b\""},
		{"SELECT'\x1b''\\'AS\"a\"\"\x07\"", `SELECT E'\u001b''\\'AS U&"a""` + "\\" + `0007"`},
		{"SELECT /* \x1b /* */ */ 1 -- \x1b", "SELECT   1  "},
		{"DO $f$ -- \x1b\nBEGIN END $f$", `DO E' -- \u001b\nBEGIN END '`},
		{"SELECT E'\\'\x1b', $1, '$'", `SELECT E'\'\u001b', $1, '$'`},
		{"SELECT U&\"\\0041\x1b\", 1\x0b+ 1", `SELECT U&"` + "\\0041\\001b" + `", 1 + 1`},
	} {
		if got := Statement(tc.sql); got != tc.want {
			t.Errorf("%q is written\n%s, want\n%s", tc.sql, got, tc.want)
		}
	}
}
