// Command bulk writes a long recorded history, as shards, to measure robust-beam with.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/txrobust/robust/beam/internal/bulk"
)

func main() {
	var o bulk.Options
	flag.Uint64Var(&o.Seed, "seed", 1, "`seed` of the random choices")
	flag.IntVar(&o.Ops, "ops", 10_000_000, "`number` of operations")
	flag.IntVar(&o.Shards, "shards", 10, "`number` of files")
	flag.IntVar(&o.Sessions, "sessions", 100, "`number` of sessions")
	flag.IntVar(&o.Keys, "keys", 1_000_000, "`number` of keys")
	flag.IntVar(&o.Width, "width", 8, "`operations` of a transaction")
	flag.Float64Var(&o.Reads, "reads", 0.5, "`share` of reads, 0 to 1")
	flag.IntVar(&o.Skews, "skews", 0, "`number` of write skews")
	flag.IntVar(&o.Replicas, "replicas", 0, "`number` of replicas that are causally consistent; 0 for a serial database")
	flag.IntVar(&o.Delay, "delay", 1_000, "after how many `transactions` replicas see those of others")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "bulk: name a new folder for the shards; bulk -h lists the flags")
		os.Exit(2)
	}
	fmt.Printf("seed %d\n", o.Seed)
	if err := bulk.Write(context.Background(), flag.Arg(0), o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
