package schematest

import (
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Compile reads the text of a schema. It may refer only to itself.
func Compile(t testing.TB, text string) *jsonschema.Schema {
	t.Helper()
	const name = "schema.json"
	c := jsonschema.NewCompiler()
	if err := c.AddResource(name, Decode(t, text)); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile(name)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// Decode reads a JSON text as the value that a schema validates: objects are maps.
func Decode(t testing.TB, text string) any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}
