//go:build playground

package playground

import (
	"embed"
	"io/fs"
)

//go:embed built/robust.wasm-gz built/wasm_exec.js
var built embed.FS

// Built is the checker that is inside, or nil.
func Built() fs.FS {
	inside, err := fs.Sub(built, "built")
	if err != nil {
		panic(err) // the name is a good one
	}
	return inside
}
