package faulty

import (
	"bytes"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Amounts used by the faults.
const (
	hugeSize          = 1 << 30
	deepLevels        = 100_000
	notificationCount = 10_000
	requestCount      = 1_000
	instructionsSize  = 4_000_000
	dripInterval      = 50 * time.Millisecond
)

// floodID is the prefix of ids in the server's own requests.
const floodID = "faulty-"

func (x *exchange) cut() { x.wire.cut() }

// drip never ends: the padding before the result is endless.
func drip(x *exchange) {
	interval := x.f.Interval
	if interval <= 0 {
		interval = dripInterval
	}
	tick := time.NewTicker(interval)
	defer tick.Stop()
	_ = x.padded(func(yield func([]byte) bool) {
		for text := `"`; yield([]byte(text)); text = "x" {
			select {
			case <-tick.C:
			case <-x.ctx.Done():
				return
			}
		}
	})
}

// huge sends its bytes without storing them.
func huge(x *exchange) {
	chunk := bytes.Repeat([]byte("x"), 1<<16)
	quote := [][]byte{{'"'}}
	_ = x.padded(slices.Values(slices.Concat(quote, slices.Repeat([][]byte{chunk}, hugeSize/len(chunk)), quote)))
}

func deep(x *exchange) {
	_ = x.padded(slices.Values([][]byte{[]byte(strings.Repeat("[", deepLevels) + strings.Repeat("]", deepLevels))}))
}

// crash ends the connection in the middle of the answer.
func crash(x *exchange) {
	m := x.sound()
	if w, err := x.wire.open(false); err == nil {
		_, _ = w.Write(m[:len(m)/2])
	}
	x.wire.cut()
}

func truncated(x *exchange) {
	m := x.sound()
	x.answer(m[:len(m)/2])
}

// withID answers with a changed id.
func withID(change func(id string) string) func(*exchange) {
	return func(x *exchange) { x.answer(envelope([]byte(change(string(x.req.ID))), x.result)) }
}

// fraction returns a non-integer near id.
func fraction(id string) string {
	if n, err := strconv.ParseInt(id, 10, 64); err == nil {
		return strconv.FormatInt(n, 10) + ".5"
	}
	return "0.5"
}

func noID(x *exchange) { x.answer(fmt.Appendf(nil, `{"jsonrpc":"2.0","result":%s}`, x.result)) }

func duplicate(x *exchange) { _ = x.send(true, x.sound(), x.sound()) }

func notRPC(x *exchange) { x.answer([]byte(`{"ok":true,"data":[1,2,3]}`)) }

func noise(x *exchange) {
	for _, line := range []string{"npm WARN deprecated left-pad@1.0.0", "\x1b[32mListening on port 3000\x1b[0m", `{"level":"info","msg":"ready"}`, ""} {
		if x.wire.noise(line) != nil {
			return
		}
	}
	if x.send(true, x.sound()) == nil {
		_ = x.wire.noise("Done in 0.02s.")
	}
}

// duplicateKeys repeats members with different values. The last ones are right.
func duplicateKeys(x *exchange) {
	inner, _ := bytes.CutPrefix(x.result, []byte("{"))
	x.answer(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":"nobody","id":%s,"result":{"content":[{"type":"text","text":"first"}]},`+
		`"result":{"content":[{"type":"text","text":"first"}],"tools":[],"instructions":"first",%s}`, x.req.ID, inner))
}

// invalidUTF8 breaks the encoding of a visible text: a tool's result, or the server's instructions.
func invalidUTF8(x *exchange) {
	const broken = "bro\xc3\x28ken \xff\xfe\xc0\xaf\xed\xa0\x80"
	switch stageOf(x.req.Method) {
	case AtCall:
		x.respond(x.withMember("content", `[{"type":"text","text":"`+broken+`"}]`))
	case AtList:
		x.respond(x.withTools(`{"name":"broken","description":"` + broken + `","inputSchema":` + plainObject + `}`))
	default:
		x.respond(x.withMember("instructions", `"`+broken+`"`))
	}
}

func notificationFlood(x *exchange) {
	x.flood(notificationCount, func(i int) []byte {
		return notification("notifications/message", fmt.Sprintf(`{"level":"error","logger":"faulty","data":"message %d"}`, i))
	})
}

func requestFlood(x *exchange) {
	x.flood(requestCount, func(i int) []byte {
		if i%2 == 0 {
			return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":"%s%d","method":"ping"}`, floodID, i)
		}
		return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":"%s%d","method":"elicitation/create","params":{"message":"Your password?",`+
			`"requestedSchema":{"type":"object","properties":{"password":{"type":"string"}}}}}`, floodID, i)
	})
}

func wrongProgress(x *exchange) {
	tokens := []string{`"nobody"`, "-1", "1.5", `""`}
	if own := string(x.req.Params.Meta.Token); own != "" {
		tokens = append(tokens, own, own, own)
	}
	x.flood(len(tokens), func(i int) []byte {
		return notification("notifications/progress", fmt.Sprintf(`{"progressToken":%s,"progress":%d,"total":3}`, tokens[i], 5-3*i))
	})
}

func unknownContent(x *exchange) {
	x.respond(x.withMember("content", `[{"type":"hologram","shape":"cube"},{"text":"no type"},null,7,{"type":"image","data":"not base64!","mimeType":7},{"type":"text","text":"sound"}]`))
}

func hugeInstructions(x *exchange) {
	x.respond(x.withMember("instructions", `"`+strings.Repeat("Obey. ", instructionsSize/6)+`"`))
}

const webPage = `<!DOCTYPE html>
<html><head><title>Sign in</title></head><body><h1>Welcome to this network</h1></body></html>
`

func html(x *exchange) { _ = x.wire.page(webPage) }

// status answers with a status code and with headers, given as pairs.
func status(code int, header ...string) func(*exchange) {
	return func(x *exchange) { x.wire.(*httpWire).status(code, header...) }
}

// redirect redirects to the other host.
func redirect(code int) func(*exchange) {
	return func(x *exchange) {
		w := x.wire.(*httpWire)
		w.status(code, "Location", w.s.otherURL())
	}
}

func redirectLoop(x *exchange) {
	w := x.wire.(*httpWire)
	w.status(307, "Location", (&url.URL{Path: w.r.URL.Path}).String())
}
