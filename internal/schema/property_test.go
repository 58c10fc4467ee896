package schema_test

import (
	"testing"

	"github.com/cash-mcp/go-sdk/internal/schema"
)

func TestObject(t *testing.T) {
	for _, tt := range []struct {
		list   []schema.Property
		closed bool
		want   string
	}{
		{nil, true, `{"type":"object","properties":{},"required":[],"additionalProperties":false}`},
		{[]schema.Property{{Name: "b", Type: "string", Description: `A "b" & <c>.`, Required: true}, {Name: "a", Required: true}, {Name: "\u2028", Description: "C."}}, false,
			`{"type":"object","properties":{"b":{"type":"string","description":"A \"b\" & <c>."},"a":{},"\u2028":{"description":"C."}},"required":["b","a"]}`},
	} {
		got := schema.Object(tt.list, tt.closed)
		if string(got) != tt.want {
			t.Errorf("Object = %s; want %s", got, tt.want)
		}
		if s, err := schema.Parse(got); err != nil || s.Closed() != tt.closed {
			t.Errorf("%s: %v", got, err)
		}
	}
}
