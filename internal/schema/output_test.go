package schema_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/internal/schema"
)

type outputBase struct {
	ID   string `json:"id" cash:"detail=minimal"`
	Name string
	Log  []string `cash:"detail=full"`
}

type OutputShown struct {
	*outputBase
	outputTie `cash:"detail=full"`
	Name      string   `json:"name,omitempty" cash:"excerpt=9"`
	Log       int      `json:"-"`
	Size      int      `json:",string,omitzero" cash:"min=1,advanced"`
	None      chan int `json:"-"`
}

type outputTie struct {
	Other int
	Early int `cash:"detail=minimal"`
}

func TestOutputFields(t *testing.T) {
	fields, err := schema.OutputFields(reflect.TypeFor[OutputShown]())
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"id [0 0] minimal 0", "Name [0 1] standard 0", "Log [0 2] full 0", "Other [1 0] full 0", "Early [1 1] full 0",
		"name [2] standard 9 empty", "Size [4] standard 0 zero string",
	}
	var got []string
	for _, f := range fields {
		line := fmt.Sprint(f.Name, " ", f.Index, " ", f.Detail, " ", f.Excerpt)
		for _, option := range []struct {
			name string
			on   bool
		}{{" empty", f.OmitEmpty}, {" zero", f.OmitZero}, {" string", f.Quoted}} {
			if option.on {
				line += option.name
			}
		}
		got = append(got, line)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("fields\n%s, want\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	data, err := json.Marshal(OutputShown{outputBase: &outputBase{}, Name: "n", Size: 1})
	if err != nil {
		t.Fatal(err)
	}
	if text := string(data); text != `{"id":"","Name":"","Log":null,"Other":0,"Early":0,"name":"n","Size":"1"}` {
		t.Errorf("encoding/json has other fields: %s", text)
	}
	if _, err := schema.ForType(reflect.TypeFor[OutputShown]()); err == nil || !strings.Contains(err.Error(), "field outputBase: ") {
		t.Errorf("as an input: %v", err)
	}
}

// TestWrittenEmpty: encoding/json writes a big.Int as {} where it cannot take its address.
func TestWrittenEmpty(t *testing.T) {
	type holder struct{ N big.Int }
	empty := []any{holder{}, big.Int{}, [1]holder{}, struct{ holder }{}, &map[string]big.Rat{"a": {}}}
	full := []any{&holder{}, struct{ *holder }{new(holder)}, &[]big.Float{{}}, &[]struct{ A *big.Int }{{}}}
	for i, value := range append(empty, full...) {
		refused := i < len(empty)
		text, _ := json.Marshal(value)
		if bytes.Contains(text, []byte("{}")) != refused {
			t.Errorf("%T is %s", value, text)
		}
		typ := reflect.TypeOf(value)
		if err := schema.CheckOutput(typ); (err != nil) != refused || refused && !strings.Contains(err.Error(), "as {}, because its methods have a pointer receiver; use *big.") {
			t.Errorf("%v: %v", typ, err)
		}
	}
}
