// Package memory has the values of an interpretation and what happens to them: cells that
// are loaded and stored, what is joined where paths meet, errors, texts, maps and lists with
// known parts, and the facts that conditions imply. It writes statements of package client,
// and knows that a transaction has phases, and that queries have rows; how statements are
// sent it does not know. Values that a library makes are an Object to it.
package memory
