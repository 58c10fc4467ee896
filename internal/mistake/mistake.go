// Package mistake reports mistakes of the programmer who uses this module. Constructors call it.
package mistake

import (
	"fmt"
	"runtime"
)

// Check panics if err is not nil. The text names the package and the source line that calls the constructor.
func Check(pkg string, err error) {
	if err == nil {
		return
	}
	if _, file, line, ok := runtime.Caller(2); ok {
		err = fmt.Errorf("%w (%s:%d)", err, file, line)
	}
	panic(pkg + ": " + err.Error())
}
