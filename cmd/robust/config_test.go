package main

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestConfigDocs: the page about robust.yaml has every key, and no other one.
func TestConfigDocs(t *testing.T) {
	text, err := os.ReadFile("../../docs/config.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "| key | value |")
	var keys []string
	for _, row := range strings.Split(table, "\n") {
		cell, _, _ := strings.Cut(strings.TrimPrefix(row, "|"), "|")
		for i, part := range strings.Split(cell, "`") {
			if i%2 == 1 {
				keys = append(keys, part)
			}
		}
	}
	slices.Sort(keys)
	if !slices.Equal(keys, slices.Sorted(slices.Values(inConfig))) {
		t.Errorf("the page has the keys %v, and the file %v", keys, inConfig)
	}
}
