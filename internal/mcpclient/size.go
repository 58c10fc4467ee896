package mcpclient

import (
	"fmt"
	"strconv"
)

// Size words a number of bytes in the usual unit: 8 MiB, 64 KiB, 1,000,000 bytes.
func Size(n int) string {
	switch {
	case n > 0 && n%(1<<20) == 0:
		return Count(n>>20) + " MiB"
	case n > 0 && n%(1<<10) == 0:
		return Count(n>>10) + " KiB"
	}
	return Count(n) + " bytes"
}

// Count words a number with commas between thousands.
func Count(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return Count(n/1000) + fmt.Sprintf(",%03d", n%1000)
}
