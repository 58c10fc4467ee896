package control

import (
	"sync"

	"github.com/cash-mcp/go-sdk/firewall/redact"
)

// secrets is made when the first question is asked.
var secrets = sync.OnceValue(func() *redact.Filter {
	return redact.New(redact.DefaultRules()...)
})

// withoutSecrets takes secrets out of JSON, which stays JSON.
func withoutSecrets(data string) string {
	shown, _ := secrets().Text(data)
	return shown
}
