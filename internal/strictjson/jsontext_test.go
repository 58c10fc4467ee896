//go:build goexperiment.jsonv2

package strictjson_test

import (
	"bytes"
	"encoding/json/jsontext"
	"errors"
	"io"
	"testing"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// FuzzJSONText holds Check to encoding/json/jsontext, which refuses duplicate
// keys and bad UTF-8 by default. Only depth differs.
func FuzzJSONText(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		ours := strictjson.CheckDepth(data, 10_000)
		if theirs := readAll(data); (ours == nil) != (theirs == nil) {
			t.Fatalf("%q: ours %v, jsontext %v", data, ours, theirs)
		}
	})
}

// readAll reads exactly one value with jsontext.
func readAll(data []byte) error {
	d := jsontext.NewDecoder(bytes.NewReader(data))
	if _, err := d.ReadValue(); err != nil {
		return err
	}
	if _, err := d.ReadToken(); err != io.EOF {
		return errors.Join(errors.New("trailing data"), err)
	}
	return nil
}
