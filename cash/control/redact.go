package control

import (
	"sync"

	"github.com/cash-mcp/go-sdk/firewall/redact"
)

// secrets is created at the first question.
var secrets = sync.OnceValue(func() *redact.Filter {
	return redact.New(redact.DefaultRules()...)
})

// withoutSecrets redacts JSON, which stays JSON.
func withoutSecrets(data string) string {
	shown, _ := secrets().Text(data)
	return shown
}
