// Package secret is for package public alone.
package secret

type Secret struct{ N int }

type Named struct{ S Secret }
