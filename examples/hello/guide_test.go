package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/internal/guidetest"
)

// The guide shows what the command cash gets of this server.
func TestGuide(t *testing.T) {
	client := cashtest.Connect(t, newServer())
	(&guidetest.Guide{Output: func(block, _ string) string {
		words := append(strings.SplitN(block, " ", 4)[1:], "", "", "")
		namespace, function, _ := strings.Cut(words[1], ".")
		if words[0] == "call" {
			return client.Call(namespace, function, json.RawMessage(words[2])).Text
		}
		return client.Help(namespace, function).Text
	}}).Test(t)
}
