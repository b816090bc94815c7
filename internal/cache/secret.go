package cache

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Secret signs the entries of a cache: one that somebody without it has written
// is not believed.
type Secret [sha256.Size]byte

// minText is the least length of a text that a secret is made of.
const minText = 32

// SecretOf makes a secret of a text, such as one that a CI system keeps.
func SecretOf(text string) (Secret, error) {
	if len(text) < minText {
		return Secret{}, fmt.Errorf("a key must have at least %d characters, but has %d; make one with: openssl rand -hex 32", minText, len(text))
	}
	return derived([]byte(text)), nil
}

// derived keeps what signs entries apart from other uses of a key.
func derived(key []byte) (s Secret) {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("robust cache, version 1"))
	copy(s[:], mac.Sum(nil))
	return s
}

// keyFile is the name of the file with the key.
const keyFile = "cache.key"

// UserSecret gives the secret in the folder dir, which is the user's own, and makes
// it on first use. The file is not believed unless it belongs to the user and nobody
// else can read or write it.
func UserSecret(dir string) (Secret, error) {
	path := filepath.Join(dir, keyFile)
	s, err := readKey(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return s, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return Secret{}, err
	}
	if err := writeKey(dir, path); err != nil && !errors.Is(err, fs.ErrExist) {
		return Secret{}, err
	}
	return readKey(path) // that of the process which was first
}

func readKey(path string) (Secret, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return Secret{}, err
	}
	if !info.Mode().IsRegular() {
		return Secret{}, fmt.Errorf("%s: the key of the cache must be a file; remove it", path)
	}
	if err := private(path, info); err != nil {
		return Secret{}, err
	}
	if info.Size() != 2*sha256.Size+1 {
		return Secret{}, fmt.Errorf("%s: the key of the cache is damaged; remove it", path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return Secret{}, err
	}
	key, err := hex.DecodeString(string(text[:len(text)-1]))
	if err != nil {
		return Secret{}, fmt.Errorf("%s: the key of the cache is damaged; remove it", path)
	}
	return derived(key), nil
}

// writeKey makes a key that appears complete, unless there is one.
func writeKey(dir, path string) error {
	var key [sha256.Size]byte
	if _, err := rand.Read(key[:]); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(dir, "."+keyFile) // 0600
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = fmt.Fprintln(tmp, hex.EncodeToString(key[:]))
	if err := errors.Join(err, tmp.Close()); err != nil {
		return err
	}
	return os.Link(tmp.Name(), path)
}
