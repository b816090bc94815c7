package rooms_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/rooms"
)

// targetExported is how many names all public packages together shall export at most.
const targetExported = 350

// exported are the public packages, with the names that each exports at most. A ceiling may
// only fall: the test says when it can.
var exported = map[string]int{
	"":                  16,
	"analyzer":          14,
	"checker/judge":     10,
	"engine":            15,
	"history":           61,
	"history/codec":     27,
	"history/record":    4,
	"instrument":        4,
	"instrument/boogie": 2,
	"ir":                65,
	"ir/irtext":         1,
	"isolation":         40,
	"lint":              2,
	"lint/golangci":     2,
	"movers":            8,
	"reach":             8,
	"report":            58,
	"sqlmodel":          5,
}

// hiddenTypes are the internal types that public declarations name without a public name for
// them, with the reason. The list may only become shorter.
var hiddenTypes = map[string]string{
	"internal/client.Txn":       "robust.GoProgram takes what analyzer.Load found",
	"internal/crosscheck.Trace": "the command writes the histories of findings",
	"internal/infile.Reader":    "the command says where includes may lead",
	"internal/rowstore.DB":      "the interpreter replays traces of reach",
	"internal/interp.Run":       "the interpreter replays traces of reach",
}

// TestExported counts what users of the library can name.
func TestExported(t *testing.T) {
	sum, seen := 0, map[string]bool{}
	for _, p := range load(t, "../..") {
		if !rooms.IsPublic(p) {
			continue
		}
		name := strings.TrimPrefix(strings.TrimPrefix(p.PkgPath, module), "/")
		seen[name] = true
		n := len(rooms.Exported(p))
		sum += n
		switch ceiling := exported[name]; {
		case n > ceiling:
			t.Errorf("%q: %d names are exported, but there may be %d at most: put what users do not need below internal", name, n, ceiling)
		case n < ceiling:
			t.Errorf("%q: %d names are exported: lower its ceiling from %d", name, n, ceiling)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(exported)) {
		if !seen[name] {
			t.Errorf("there is no public package %q", name)
		}
	}
	t.Logf("%d names are exported, and there shall be %d at most", sum, targetExported)
}

// TestLeaks: users can name every type that a public declaration has.
func TestLeaks(t *testing.T) {
	seen := map[string]bool{}
	for _, l := range rooms.Leaks(load(t, "../..")) {
		name := strings.TrimPrefix(l.Type, module+"/")
		seen[name] = true
		if hiddenTypes[name] == "" {
			t.Errorf("%s has the type %s, which users cannot name", strings.TrimPrefix(l.At, module), name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(hiddenTypes)) {
		if !seen[name] {
			t.Errorf("no public declaration has the type %s: remove it from the list", name)
		}
	}
}

// TestPublicOfModule finds what a small module exports and leaks, as counted by hand.
func TestPublicOfModule(t *testing.T) {
	var public, leaks []string
	list := load(t, "testdata/public")
	for _, p := range list {
		if rooms.IsPublic(p) {
			public = append(public, p.PkgPath+": "+strings.Join(rooms.Exported(p), " "))
		}
	}
	for _, l := range rooms.Leaks(list) {
		leaks = append(leaks, l.At+" "+l.Type)
	}
	if want := []string{"example.org/public: Func Known Limit Named Struct"}; !slices.Equal(public, want) {
		t.Errorf("public are %q, but must be %q", public, want)
	}
	const secret = " example.org/public/internal/secret.Secret"
	want := []string{"example.org/public.Func" + secret, "example.org/public.Struct.List" + secret, "example.org/public.Struct.Method" + secret}
	if !slices.Equal(leaks, want) {
		t.Errorf("leaks are %q, but must be %q", leaks, want)
	}
}
