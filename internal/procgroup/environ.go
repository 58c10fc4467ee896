package procgroup

import (
	"os"
	"runtime"
	"slices"
	"strings"
)

// Environ returns the variables of this process that every process needs: PATH, HOME, USER, LOGNAME, SHELL, TERM,
// LANG, LC_*, TZ and TMPDIR (on Windows their counterparts), and those named in besides. It is never nil, since a
// nil environment inherits all.
func Environ(besides ...string) []string {
	keep := []string{"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "TZ", "TMPDIR"}
	if runtime.GOOS == "windows" {
		keep = append(keep, "APPDATA", "LOCALAPPDATA", "HOMEDRIVE", "HOMEPATH", "PATHEXT", "PROCESSOR_ARCHITECTURE",
			"PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "USERNAME", "USERPROFILE", "COMSPEC", "WINDIR")
	}
	keep = append(keep, besides...)
	env := []string{}
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		if strings.HasPrefix(name, "LC_") || slices.ContainsFunc(keep, func(k string) bool { return sameName(name, k) }) {
			env = append(env, v)
		}
	}
	return env
}

func sameName(a, b string) bool {
	return a == b || runtime.GOOS == "windows" && strings.EqualFold(a, b)
}
