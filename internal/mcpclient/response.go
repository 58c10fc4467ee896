package mcpclient

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// This file reads HTTP responses for http.go and sse.go: their status, their media type and their body.

// statusError returns the error for a status other than success.
func statusError(resp *http.Response) *Error {
	e := &Error{Class: Status, Status: resp.StatusCode, RetryAfter: retryAfter(resp.Header.Get("Retry-After"))}
	e.Reason = fmt.Sprintf("status %d", e.Status)
	if text := http.StatusText(e.Status); text != "" {
		e.Reason += " (" + text + ")"
	}
	return e
}

// errSessionGone returns the error for a 404 to a request with a session (MCP 2025-11-25, basic/transports, session
// management).
func errSessionGone() *Error {
	return &Error{
		Class: Status, Status: http.StatusNotFound,
		Reason: "the session has ended", Err: mcp.ErrSessionMissing,
	}
}

// retryAfter parses seconds or a date (RFC 9110, section 10.2.3).
func retryAfter(value string) time.Duration {
	const most = 24 * time.Hour
	if n, err := strconv.ParseInt(value, 10, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(min(max(n, 0), int64(most/time.Second))) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return min(max(time.Until(at), 0), most)
	}
	return 0
}

// mediaType returns the content type without parameters, in lower case.
func mediaType(resp *http.Response) string {
	t, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil && !errors.Is(err, mime.ErrInvalidMediaParameter) {
		return ""
	}
	return t
}

const (
	jsonType   = "application/json"
	streamType = "text/event-stream"
)

// wrongType returns the error for a response that is neither JSON nor an event stream.
func wrongType(resp *http.Response) *Error {
	switch t := mediaType(resp); {
	case resp.StatusCode == http.StatusAccepted, resp.StatusCode == http.StatusNoContent, resp.ContentLength == 0:
		return malformed("the answer is empty")
	case t == "text/html", t == "application/xhtml+xml":
		return malformed("the answer is a web page")
	case strings.HasPrefix(t, "text/"):
		return malformed("the answer is plain text")
	}
	return malformed("the answer is neither JSON nor a stream of events")
}

// readBody reads a body of at most limit bytes. The error is an *Error, or that of the context.
func readBody(resp *http.Response, limit int) ([]byte, error) {
	defer resp.Body.Close()
	if resp.ContentLength > int64(limit) {
		return nil, tooLarge(limit)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, int64(limit)+1))
	switch {
	case len(data) > limit:
		return nil, tooLarge(limit)
	case err != nil:
		const sent = true // the request was
		return nil, failure(resp.Request.Context(), err, sent)
	}
	return data, nil
}

// finish reads what is left of a body, at most 4 KiB and for a second, so that its connection can be reused.
func finish(body io.ReadCloser) {
	timer := time.AfterFunc(time.Second, func() { _ = body.Close() })
	_, _ = io.CopyN(io.Discard, body, 4<<10)
	timer.Stop()
	_ = body.Close()
}
