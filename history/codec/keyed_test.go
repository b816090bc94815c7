package codec

import (
	"strings"
	"testing"
)

// TestIndependentKeys: operations of independent keys are refused; the same ones of one object
// are read.
func TestIndependentKeys(t *testing.T) {
	for _, c := range []struct{ keyed, plain string }{
		{"{:type :invoke :process 0 :f :write :value [1 5]}", "{:type :invoke :process 0 :f :write :value 5}"},
		{"{:type :invoke :process 0 :f :read :value [1 nil]}", "{:type :invoke :process 0 :f :read :value nil}"},
		{"{:type :ok :process 0 :f :cas :value [1 [0 5]]}", "{:type :ok :process 0 :f :cas :value [0 5]}"},
	} {
		if _, _, err := Decode(t.Context(), strings.NewReader(c.keyed), "x", Options{Format: EDN}); err == nil || !strings.Contains(err.Error(), "independent keys are not read") {
			t.Errorf("%s: %v", c.keyed, err)
		}
		if _, _, err := Decode(t.Context(), strings.NewReader(c.plain), "x", Options{Format: EDN}); err != nil {
			t.Errorf("%s: %v", c.plain, err)
		}
	}
}
