package endpoint

import (
	"errors"
	"fmt"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// readDescriptors parses a list of descriptors. An invalid one becomes a finding.
func readDescriptors(list []byte) ([]Descriptor, []Finding) {
	tools, findings := []Descriptor{}, []Finding(nil)
	seen := make(map[string]bool)
	beyond := 0
	for i, value := range strictjson.Elements(list) {
		if i >= maxTools {
			beyond++
			continue
		}
		d, err := readDescriptor(value)
		switch {
		case err != nil:
			findings = append(findings, finding(fmt.Sprintf("number %d", i+1), Refused, err.Error()))
		case seen[d.Name]:
			findings = append(findings, finding(d.Name, Refused, "an earlier tool has the same name"))
		default:
			seen[d.Name] = true
			tools = append(tools, *d)
		}
	}
	if beyond > 0 {
		findings = append(findings, finding("", Refused, fmt.Sprintf("%d tools beyond the first %d are not read", beyond, maxTools)))
	}
	return tools, findings
}

func finding(tool string, status Status, reason string) Finding {
	return Finding{clean.Line(tool, maxName), status, clean.Line(reason, maxReason)}
}

// readDescriptor parses a descriptor. Only the name is required. Members of a wrong type count as missing.
func readDescriptor(value []byte) (*Descriptor, error) {
	if value == nil || strictjson.KindOf(value) != strictjson.Object {
		return nil, errors.New("it is no object")
	}
	d := new(Descriptor)
	var other strictjson.Builder
	for key, value := range strictjson.Members(value) {
		text, object := strictjson.Text(value), strictjson.KindOf(value) == strictjson.Object
		switch key {
		case "name":
			d.Name = text
		case "description":
			d.Description = text
		case "command":
			d.Command = text
		case "origin":
			d.Origin = text
		case "safety":
			d.Safety = text
		case "input_schema":
			if object {
				d.InputSchema = strictjson.Compact(value)
			}
		case "result_schema":
			if object {
				d.ResultSchema = strictjson.Compact(value)
			}
		default:
			other.Add(key, strictjson.Compact(value))
		}
	}
	if other.Len() > 0 {
		d.Other = other.Object()
	}
	if d.Name == "" {
		return nil, errors.New("it has no name")
	}
	return d, nil
}
