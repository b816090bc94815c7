package codec

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestEdited: recordings that an editor or another tool wrote anew are what they were.
func TestEdited(t *testing.T) {
	const write, read = `{:type :ok, :process 0, :value [[:w 1 NUMBER]]}`, `{:type :ok, :process 1, :value [[:r 1 NUMBER]]}`
	const large = "170141183460469231731687303715884105727"
	texts := map[Format][]string{
		EDN:       {strings.ReplaceAll(write+"\n"+read, "NUMBER", "5")},
		ElleJSON:  {`[{"type":"ok","process":0,"value":[["w",1,5]]},{"type":"ok","process":1,"value":[["r",1,5]]}]`, "{\"process\":0,\"type\":\"ok\",\"value\":[[\"w\",1,5]]}\n{\"type\" : \"ok\",\"process\":1,\"value\":[[\"r\",1,5]]}\n"},
		Plume:     {"w(1,5,0,0)\nr(1,5,1,1)\n"},
		AWDIT:     {"w 1 5\nw 2 5\n-----\nr 1 5\n=====\nr 1 5\n-----\n"},
		DbcopText: {"[x:=5]\n---\n[x==5]\n"},
		DbcopJSON: {`{"data":[[{"events":[{"Write":{"variable":1,"version":5}}],"committed":true}]]}`},
		dbcopYAML: {"data:\n- - committed: true\n    events:\n    - Write:\n        variable: 0\n        version: 5\n"},
		JepsenLog: {"0\t:invoke\t:write\t5\n0\t:ok\t:write\t5\n"},
		Viper:     {"{\"value\": [[\"w\", 1, 5, true]]}\n"},
		Chronos:   {`[{"tid":1,"sid":1,"sts":{"p":1,"l":0},"cts":{"p":2,"l":0},"ops":[{"t":"w","k":1,"v":5}]}]`},
	}
	decode := func(text string) (string, Format) {
		h, f, err := Decode(t.Context(), strings.NewReader(text), "x", Options{})
		if err != nil {
			return err.Error(), f
		}
		return print(h), f
	}
	for f, all := range texts {
		for _, text := range all {
			want, as := decode(text)
			if as != f {
				t.Errorf("%s is taken for %s: %s", f, as, want)
			}
			for what, edited := range map[string]string{
				"a byte order mark": "\ufeff" + text, "ends of lines of Windows": strings.ReplaceAll(text, "\n", "\r\n"), "no last end of a line": strings.TrimSuffix(text, "\n"),
				"an empty line": text + "\n",
			} {
				if got, _ := decode(edited); got != want {
					t.Errorf("%s with %s: got\n%swant\n%s", f, what, got, want)
				}
			}
		}
	}
	if got, _ := decode("\xff\xfe{\x00"); !strings.Contains(got, "UTF-16") {
		t.Error(got)
	}
	// A large integer is the same with N and without.
	one, _ := decode(strings.ReplaceAll(write+read, "NUMBER", large))
	for _, way := range []string{large + "N", "+" + large} {
		if two, _ := decode(strings.ReplaceAll(write+read, "NUMBER", way)); two != one {
			t.Errorf("%s: got\n%swant\n%s", way, two, one)
		}
	}
}

// TestIndices: operations out of their order would show another order in real time.
func TestIndices(t *testing.T) {
	decode := func(indices ...string) error {
		var b strings.Builder
		for _, i := range indices {
			b.WriteString("{:type :ok, :process 0, :value [[:r 1 nil]], :index " + i + "}\n")
		}
		_, _, err := Decode(t.Context(), strings.NewReader(b.String()), "x", Options{})
		return err
	}
	if err := decode("0", "7", "8"); err != nil {
		t.Error(err)
	}
	if err := decode("2", "3", "1"); err == nil || err.Error() != "x:3: the :index 1 follows 3 in line 2; sort the operations by their indices" {
		t.Errorf("out of order: %v", err)
	}
}

// TestTakenForInitial: where a format cannot tell the initial transaction from another one, a
// note says what is taken for it.
func TestTakenForInitial(t *testing.T) {
	for text, notes := range map[string]int{"w 1 1\n=====\nr 1 1\n": 1, "w 1 1\n=====\nw 2 2\nr 1 1\n": 0} {
		h, _, err := Decode(t.Context(), strings.NewReader(text), "x", Options{Format: AWDIT})
		if err != nil || len(h.Notes()) != notes {
			t.Errorf("%q: %v, notes %v", text, err, h.Notes())
		}
	}
}

// TestSavePipe: Save writes to a pipe or a device, and does not replace it.
func TestSavePipe(t *testing.T) {
	h, _, err := Decode(t.Context(), strings.NewReader("w(1,5,0,0)\n"), "x", Options{})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "pipe")
	if err := exec.Command("mkfifo", path).Run(); err != nil {
		t.Skip(err)
	}
	read := make(chan string, 1)
	go func() {
		text, err := os.ReadFile(path)
		read <- string(text) + fmt.Sprint(err)
	}()
	if _, err := Save(t.Context(), path, h, Plume); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(path); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		t.Fatalf("the pipe is gone: %v, %v", info, err)
	}
	if got := <-read; got != "w(1,5,0,0)\n<nil>" {
		t.Errorf("read %q", got)
	}
}
