package main

import (
	"bufio"
	"bytes"
	"context"
	"debug/elf"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/txrobust/robust/internal/cache"
	"github.com/txrobust/robust/internal/smt"
)

// cacheOff is the value of -cache for none.
const cacheOff = "off"

// cacheKey is the environment variable with the key that signs the entries, such
// as a secret of a CI system.
const cacheKey = "ROBUST_CACHE_KEY"

// openCache gives the folder of answers of earlier runs, or nil: where none is
// wanted, where there is no place for it or for its key, and where it is not known
// which program and solver this is. It says on std.err why a key is not used.
func openCache(std streams, path string) (*cache.Dir, error) {
	if path == cacheOff {
		return nil, nil
	}
	if path == "" {
		base, err := os.UserCacheDir()
		if err != nil {
			return nil, nil
		}
		path = filepath.Join(base, "robust")
	}
	program, solver := buildID(), solverID()
	if program == "" || solver == "" {
		return nil, nil
	}
	var secret cache.Secret
	var err error
	if text := os.Getenv(cacheKey); text != "" {
		if secret, err = cache.SecretOf(text); err != nil {
			return nil, usagef("%s: %v", cacheKey, err)
		}
	} else if secret, err = userSecret(path); err != nil {
		fmt.Fprintf(std.err, "robust: the cache is not used: %s\n", oneLine(err.Error()))
		return nil, nil
	}
	return cache.Open(path, cache.Key("2", program, solver), secret), nil
}

// userSecret gives the key in the user's own folder for settings. That must not be in
// the cache, which is shared.
func userSecret(cacheDir string) (cache.Secret, error) {
	base, err := os.UserConfigDir()
	if err != nil {
		return cache.Secret{}, err
	}
	dir := filepath.Join(base, "robust")
	for _, at := range []string{dir, base} {
		if within(cacheDir, at) {
			return cache.Secret{}, fmt.Errorf("the key would be in the cache, in %s; name another folder with -cache, or set %s", dir, cacheKey)
		}
	}
	return cache.UserSecret(dir)
}

// within reports whether a path is a folder or in it, as far as both can be told
// without links.
func within(dir, path string) bool {
	real := func(p string) string {
		abs, err := filepath.Abs(p)
		if err != nil {
			return p
		}
		for at, rest := abs, ""; ; at, rest = filepath.Dir(at), filepath.Join(filepath.Base(at), rest) {
			if r, err := filepath.EvalSymlinks(at); err == nil {
				return filepath.Join(r, rest)
			}
			if at == filepath.Dir(at) {
				return abs
			}
		}
	}
	rel, err := filepath.Rel(real(dir), real(path))
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// buildID is the identity that the linker gives to a program, which changes
// with any part of it.
func buildID() string {
	exe, err := os.Executable()
	if err != nil {
		return ""
	}
	f, err := elf.Open(exe)
	if err != nil {
		return ""
	}
	defer f.Close()
	section := f.Section(".note.go.buildid")
	if section == nil {
		return ""
	}
	id, err := section.Data()
	if err != nil {
		return ""
	}
	return string(id)
}

// solverID says which file the solver is, and when it was made.
func solverID() string {
	z3, err := smt.Z3()
	if err != nil {
		return ""
	}
	if p := z3.Program; p != nil {
		return fmt.Sprint(p.Path, " ", p.Version, " ", p.Size, " ", p.Changed.UnixNano())
	}
	f, err := os.Open("/proc/self/maps")
	if err != nil {
		return ""
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		_, path, ok := strings.Cut(lines.Text(), "/")
		if !ok || !strings.HasPrefix(filepath.Base(path), "libz3.") {
			continue
		}
		path = "/" + path
		if real, err := filepath.EvalSymlinks(path); err == nil {
			path = real
		}
		info, err := os.Stat(path)
		if err != nil {
			return ""
		}
		return fmt.Sprint(path, " ", info.Size(), " ", info.ModTime().UnixNano())
	}
	return ""
}

// result is what a check prints, and its exit code.
type result struct {
	Code int    `json:"code"`
	Out  []byte `json:"out"`
}

// key names everything that the result of a check depends on: what is read, and
// every flag but those that say where the result goes.
// It is "" where something cannot be read, or more than the result is wanted.
func (f *checkFlags) key(ctx context.Context, src *sources) string {
	if f.witness != "" || f.proof != "" || f.replay.on || len(src.golang()) > 0 {
		return ""
	}
	files, err := expand(append(append([]string{}, src.schemas...), src.inputs...))
	if err != nil {
		return ""
	}
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	parts := []string{"check", dir, fmt.Sprintf("%q %q %q %q %q %q %t", src.inputs, src.schemas, src.txns, files, f.dialect, f.searchPath, f.searchPath != nil),
		fmt.Sprintf("%q %q %q %q %v %v %v %v %v %v %v %v %v %v %v %v %v %v", f.eng, f.isolation+f.levels.String(), fmt.Sprint(f.init, f.fix), f.format, f.beside, f.classic, f.helpers, f.window, f.questions,
			f.limit, f.query, f.timeout, f.sessionOrder, f.verbose, f.explain, f.strict, f.first, f.colors)}
	parts = append(parts, f.baseline, f.since, string(f.known))
	for _, path := range files {
		text, err := src.files.Read(ctx, path, maxInput, "")
		if err != nil {
			return ""
		}
		if includes.Match(text) { // files that are not among the inputs
			return ""
		}
		parts = append(parts, string(text))
	}
	return cache.Key(parts...)
}

// includes finds the commands of psql that read other files.
var includes = regexp.MustCompile(`\\(i|ir|include|include_relative)\b`)

// earlier gives the result of an earlier run.
func earlier(d *cache.Dir, key string) (*result, bool) {
	data, ok := d.Get(key)
	r := &result{}
	if key == "" || !ok || json.Unmarshal(data, r) != nil {
		return nil, false
	}
	return r, true
}

// keepResult keeps a result, unless it might be another one with more time.
func keepResult(ctx context.Context, d *cache.Dir, key string, code int, out *bytes.Buffer) {
	if key == "" || ctx.Err() != nil || code != exitOK && code != exitNotRobust && code != exitUnknown {
		return
	}
	if data, err := json.Marshal(result{code, out.Bytes()}); err == nil {
		d.Put(key, data)
	}
}
