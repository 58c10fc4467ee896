package control

import (
	"sync"

	"github.com/cash-mcp/go-sdk/firewall"
)

// redactor is made when the first question is asked.
var redactor = sync.OnceValue(func() *firewall.Redactor {
	return firewall.NewRedactor(firewall.DefaultRules()...)
})

// redact takes secrets out of JSON, which stays JSON.
func redact(data string) string {
	shown, _ := redactor().Text(data)
	return shown
}
