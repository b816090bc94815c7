//go:build js && wasm

// Wasm is package inbrowser as a program for a worker of a browser. It puts a function
// robustCheck beside the others of the worker, which takes a request as JSON, a function that is told
// what is being done, and one that is given the answer as JSON.
package main

import (
	"context"
	"encoding/json"
	"runtime"
	"syscall/js"

	"github.com/txrobust/robust/internal/inbrowser"
)

func main() {
	js.Global().Set("robustCheck", js.FuncOf(func(_ js.Value, args []js.Value) any {
		request, progress, done := args[0].String(), args[1], args[2]
		go func() { done.Invoke(answer(request, progress)) }() // who waits for time must not hold up the worker
		return nil
	}))
	js.Global().Call("robustReady")
	select {}
}

// answer answers a request.
func answer(request string, progress js.Value) string {
	var r inbrowser.Request
	a := inbrowser.Answer{Transactions: []string{}}
	if err := json.Unmarshal([]byte(request), &r); err != nil {
		a.Error = err.Error()
	} else {
		a = inbrowser.Check(context.Background(), r, func(what string) {
			progress.Invoke(what)
			runtime.Gosched() // nobody else interrupts: time that has run out is noticed here
		})
	}
	out, err := json.Marshal(a)
	if err != nil {
		panic(err) // texts and numbers only
	}
	return string(out)
}
