package analyzer

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestTry(t *testing.T) {
	dir := os.Getenv("TRY")
	if dir == "" {
		t.Skip()
	}
	res, err := Load(context.Background(), strings.Fields(os.Getenv("PAT")), Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range res.Notes {
		fmt.Println("NOTE", n.Pos, n.Text)
	}
	for _, x := range res.Txns {
		if os.Getenv("AUTO") == "" && x.Auto {
			continue
		}
		fmt.Println(x.Pos)
		fmt.Println(x.String())
	}
	fmt.Println(len(res.Txns), res.Begins, res.Statements)
}
