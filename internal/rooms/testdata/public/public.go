// Package public has public names, and types that users cannot name.
package public

import "example.org/public/internal/secret"

const Limit = 1

// Named gives users a name for a type.
type Named = secret.Named

type Known struct{ Field Named }

type Struct struct {
	List   []*secret.Secret
	hidden secret.Secret
}

func (s Struct) Method(func(map[string]secret.Secret)) {}

func (s Struct) method() secret.Secret { return s.hidden }

func Func() (secret.Secret, *secret.Named) { return Struct{}.method(), nil }
