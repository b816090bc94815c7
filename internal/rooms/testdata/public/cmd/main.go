// Command cmd is no library.
package main

import "example.org/public"

func Main() { public.Func() }

func main() { Main() }
