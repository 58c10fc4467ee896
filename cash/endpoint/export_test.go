package endpoint

import (
	"encoding/json"
	"errors"

	"github.com/cash-mcp/go-sdk/internal/label"
)

// ReadAnswer reads what a process wrote that ended with a status.
func ReadAnswer(code int, stdout, stderr []byte) (result, tools json.RawMessage, said *Error, err error) {
	a, err := readAnswer(&ending{code, stdout, stderr})
	if err != nil {
		errors.As(err, &said)
		return nil, nil, said, err
	}
	return a.member("result"), a.member("tools"), nil, nil
}

// ReadDescriptors reads a list of descriptors.
func ReadDescriptors(list []byte) ([]Descriptor, []Finding) { return readDescriptors(list) }

// Labels returns the labels of tools.
func Labels(tools []Descriptor) map[string]string {
	out := make(map[string]string)
	for _, t := range takeLabels(new(label.Set), tools) {
		out[t.Name] = t.label
	}
	return out
}
