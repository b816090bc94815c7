package main

import "fmt"

func usagef(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }
