package cashotel

import (
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/attribute"
)

// Names of the semantic conventions for MCP and GenAI. They are in development, in a repository of their own, and the
// Go module semconv has dropped them after version 1.41.
const (
	methodKey    = attribute.Key("mcp.method.name")
	versionKey   = attribute.Key("mcp.protocol.version")
	sessionKey   = attribute.Key("mcp.session.id")
	toolKey      = attribute.Key("gen_ai.tool.name")
	operationKey = attribute.Key("gen_ai.operation.name")

	serverDuration = "mcp.server.operation.duration"
	clientDuration = "mcp.client.operation.duration"

	executeTool = "execute_tool" // the operation of a tool call
	toolError   = "tool_error"   // the error.type of a result that is an error
	other       = "_OTHER"       // any value beyond those that are known
)

// Names of our own.
const (
	outcomeKey      = attribute.Key("cash.outcome")       // ok, asked, refused, or a kind of error
	faceToolKey     = attribute.Key("cash.tool")          // the tool by which the function was called
	upstreamKey     = attribute.Key("cash.upstream")      // label of the upstream server
	serverKey       = attribute.Key("cash.server")        // name of a watched server
	ownerKey        = attribute.Key("cash.owner")         // the caller's owner key
	requestSizeKey  = attribute.Key("cash.request.size")  // bytes of the arguments
	resultSizeKey   = attribute.Key("cash.result.size")   // bytes
	resultTokensKey = attribute.Key("cash.result.tokens") // if something counted them
	repairsKey      = attribute.Key("cash.repairs")       // arguments that were repaired
	gatedKey        = attribute.Key("cash.gated")         // the result was too large and withheld, or kept
	cachedKey       = attribute.Key("cash.cached")        // an earlier result was the answer
	attemptsKey     = attribute.Key("cash.attempts")      // tries of the function
	dryRunKey       = attribute.Key("cash.dry_run")       // the function did not run
	approvalKey     = attribute.Key("cash.approval")      // who approved the call
	interventionKey = attribute.Key("cash.intervention")  // see interventions
)

// protocolVersions are those that metrics tell apart.
var protocolVersions = mcp.SupportedProtocolVersions()

// durationBounds are the buckets that the conventions recommend, in seconds.
var durationBounds = []float64{0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300}

// sizeBounds are buckets in bytes, from a line of text to the largest message.
var sizeBounds = []float64{256, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20}

// tokenBounds are buckets in tokens.
var tokenBounds = []float64{100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000}
