// Package mistake reports mistakes of the programmer who uses this module. Constructors call it.
package mistake

import (
	"fmt"
	"runtime"
	"strings"
)

// module begins the names of functions that users have not written.
const module = "github.com/cash-mcp/go-sdk/"

// Check panics if err is not nil. The text names the package and the source line that calls the constructor: the first
// one outside of this module, or of an example or a test.
func Check(pkg string, err error) {
	if err == nil {
		return
	}
	var callers [32]uintptr
	frames := runtime.CallersFrames(callers[:runtime.Callers(3, callers[:])])
	for {
		f, more := frames.Next()
		if !more || !strings.HasPrefix(f.Function, module) || strings.HasPrefix(f.Function, module+"examples/") || strings.HasSuffix(f.File, "_test.go") {
			panic(fmt.Sprintf("%s: %v (%s:%d)", pkg, err, f.File, f.Line))
		}
	}
}
