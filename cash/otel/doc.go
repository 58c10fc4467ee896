// Package cashotel makes OpenTelemetry spans and metrics of the requests that a server gets and sends.
package cashotel
