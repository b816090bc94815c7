package playground

import (
	"errors"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/txrobust/robust/internal/demo"
)

// largest is how many bytes a browser may have to load without Z3.
const largest = 8_000_000

// TestBuild builds the checker for a browser, which must be no larger than it may be.
func TestBuild(t *testing.T) {
	dir := t.TempDir()
	build := exec.Command("go", "run", "./internal/playground/build", "-o", dir)
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	files, err := Source{Built: os.DirFS(dir)}.Files()
	if err != nil {
		t.Fatal(err)
	}
	size := 0
	for _, text := range files {
		size += len(text)
	}
	t.Logf("%d bytes, of which the checker has %d", size, len(files[Checker]))
	if size > largest {
		t.Errorf("a browser has to load %d bytes, more than %d", size, largest)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(left) != 2 {
		t.Errorf("the folder has %v, %v", left, err)
	}
}

// needless is what nobody needs who checks SQL in a browser.
var needless = regexp.MustCompile(`^(go/(types|parser|ast)|net/http|net|golang.org/x/tools/.*|github.com/jackc/.*|github.com/go-sql-driver/.*|github.com/txrobust/robust/(analyzer|internal/(demo|replay|playground)|ir/irtext|lint)(/.*)?)$`)

// TestDependencies: what a browser loads has no part that needs a toolchain, a server or a network.
func TestDependencies(t *testing.T) {
	list := exec.Command("go", "list", "-deps", "../inbrowser/wasm")
	list.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Fields(string(out))
	if len(all) < 100 {
		t.Fatalf("%d packages", len(all))
	}
	for _, pkg := range all {
		if needless.MatchString(pkg) {
			t.Errorf("a browser loads %s", pkg)
		}
	}
}

// parts are small ones in place of those that are built.
func parts() Source {
	return Source{Built: fstest.MapFS{Checker: {Data: []byte("wasm")}, Runtime: {Data: []byte("js")}}}
}

func TestFiles(t *testing.T) {
	files, err := parts().Files()
	if err != nil || len(files) != 4 || string(files[Checker]) != "wasm" {
		t.Fatalf("%d files, %v", len(files), err)
	}
	index := string(files["index.html"])
	for _, want := range []string{"'wasm-unsafe-eval'", "connect-src 'self'", `"solver":false`} {
		if !strings.Contains(strings.ReplaceAll(index, "&#39;", "'"), want) {
			t.Errorf("the page has no %s", want)
		}
	}
	for _, name := range demo.Names() {
		s, err := demo.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(index, `"scene":"`+name+`"`); n != 1+len(s.Changes) {
			t.Errorf("%s has %d examples, want %d", name, n, 1+len(s.Changes))
		}
	}
	if _, err := (Source{}).Files(); !errors.Is(err, ErrNotBuilt) {
		t.Errorf("without a checker: %v", err)
	}
}

// TestSolver: the npm package is found where npm puts it.
func TestSolver(t *testing.T) {
	for _, dir := range []string{"", "build/", "z3-solver/build/", "node_modules/z3-solver/build/"} {
		s := parts()
		s.Solver = fstest.MapFS{dir + "z3-built.js": {Data: []byte("a")}, dir + "z3-built.wasm": {Data: []byte("b")}}
		files, err := s.Files()
		if err != nil || string(files["z3/z3-built.js"]) != "a" || string(files["z3/z3-built.wasm"]) != "b" || !strings.Contains(string(files["index.html"]), `"solver":true`) {
			t.Errorf("%q: %d files, %v", dir, len(files), err)
		}
	}
	s := parts()
	s.Solver = fstest.MapFS{"other/z3-built.js": {}}
	if _, err := s.Files(); !errors.Is(err, ErrNoSolver) {
		t.Errorf("another folder: %v", err)
	}
}

func TestWrite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "page")
	for range 2 { // the second takes the place of the first
		if err := parts().Write(dir); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 4 {
		t.Errorf("%v, %v", entries, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "mine.txt"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := parts().Write(dir); err == nil || !strings.Contains(err.Error(), "mine.txt") {
		t.Errorf("a folder with something else is replaced: %v", err)
	}
}

func TestHandler(t *testing.T) {
	h, err := parts().Handler()
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]int{"/": 200, "/index.html": 200, "/worker.js": 200, "/" + Checker: 200, "/../go.mod": 404, "/z3/z3-built.js": 404} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		text, _ := io.ReadAll(w.Body)
		if w.Code != want || want == 200 && (len(text) == 0 || w.Header().Get("Cross-Origin-Opener-Policy") != "same-origin" || w.Header().Get("Cross-Origin-Embedder-Policy") != "require-corp") {
			t.Errorf("%s: %d, %d bytes, %v", path, w.Code, len(text), w.Header())
		}
	}
}
