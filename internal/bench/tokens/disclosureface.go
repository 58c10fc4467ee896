package main

import (
	"encoding/json"
	"fmt"

	"github.com/cash-mcp/go-sdk/cash/disclosure"
	"github.com/cash-mcp/go-sdk/registry"
)

// disclosureFace lists all tools with one line each. A resource has the full descriptions.
type disclosureFace struct {
	set  *set
	read map[*registry.Function]bool // functions whose description was read
}

func newDisclosure(s *set) face { return &disclosureFace{s, make(map[*registry.Function]bool)} }

func (*disclosureFace) readsResources() {}

func (d *disclosureFace) server() runner {
	srv := disclosure.NewServer(d.set.registry, nil)
	return srv
}

func (d *disclosureFace) do(t *talk, s *step) error {
	f, err := d.set.function(s.tool)
	if err != nil {
		return err
	}
	if err := d.learn(t, f); err != nil {
		return err
	}
	_, err = t.must(f.FlatName(), json.RawMessage(s.args))
	return err
}

// learn reads the description of a tool. A tool cannot be called before.
func (d *disclosureFace) learn(t *talk, f *registry.Function) error {
	if d.read[f] {
		return nil
	}
	d.read[f] = true
	uri := disclosure.DefaultURI + "?tools=" + f.FlatName()
	text, err := t.fetch(uri)
	if err != nil {
		return err
	}
	var described map[string]struct{ InputSchema json.RawMessage }
	if err := json.Unmarshal([]byte(text), &described); err != nil || described[f.FlatName()].InputSchema == nil {
		return fmt.Errorf("%s has no schema of it: %.300s", uri, text)
	}
	return nil
}
