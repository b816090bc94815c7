package golden

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// recorder is a test that remembers how it failed.
type recorder struct {
	testing.TB
	failed string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) { r.failed = fmt.Sprintf(format, args...) }

func (r *recorder) Fatalf(format string, args ...any) { r.Errorf(format, args...); panic(r) }

// failure is how Compare fails, "" if it does not.
func failure(t *testing.T, file, got string, anything ...*regexp.Regexp) string {
	t.Helper()
	return failureOf(t, func(r *recorder) { Compare(r, file, got, anything...) })
}

// failureOf is how a comparison fails, "" if it does not.
func failureOf(t *testing.T, compare func(r *recorder)) (text string) {
	t.Helper()
	r := &recorder{TB: t}
	defer func() {
		if x := recover(); x != nil && x != any(r) {
			panic(x)
		}
		text = r.failed
	}()
	compare(r)
	return ""
}

func TestCompare(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.golden")
	if err := os.WriteFile(file, []byte("one\ntwo 2\nthree\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if text := failure(t, file, "one\ntwo 2\nthree\n"); text != "" {
		t.Errorf("the same text fails: %s", text)
	}
	if text := failure(t, file, "one\ntwo 3\nthree\n"); !strings.Contains(text, "\n-two 2\n+two 3\n") {
		t.Errorf("no difference is shown: %s", text)
	}
	number := regexp.MustCompile(`\d+`)
	if text := failure(t, file, "one\ntwo 3\nthree\n", number); text != "" {
		t.Errorf("a number may differ: %s", text)
	}
	if text := failure(t, file, "one\nto 2\nthree\n", number); text == "" {
		t.Error("only a number may differ")
	}
	if text := failure(t, filepath.Join(t.TempDir(), "none"), ""); !strings.Contains(text, "-update") {
		t.Errorf("a file that is not there: %q", text)
	}
}

// TestUpdate writes a file, which compares as equal then.
func TestUpdate(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.golden")
	*update = true
	defer func() { *update = false }()
	if text := failure(t, file, "new\n"); text != "" {
		t.Fatal(text)
	}
	*update = false
	if text := failure(t, file, "new\n"); text != "" {
		t.Error(text)
	}
}

func TestCompareFolder(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		got  map[string]string
		want string
	}{
		{map[string]string{"a": "a", "b": "b"}, ""},
		{map[string]string{"a": "a", "b": "c"}, "b differs"},
		{map[string]string{"a": "a"}, "b is about nothing"},
		{map[string]string{"a": "a", "b": "b", "c": "c"}, "-update writes it"},
	} {
		text := failureOf(t, func(r *recorder) { CompareFolder(r, dir, c.got) })
		if c.want == "" && text != "" || !strings.Contains(text, c.want) {
			t.Errorf("%v: the failure is %q, want %q", c.got, text, c.want)
		}
	}
}
