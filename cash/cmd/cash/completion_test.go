package main

import (
	"os/exec"
	"strings"
	"testing"
)

// TestCompletion: the scripts have all verbs, and bash completes with its own.
func TestCompletion(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish"} {
		got := printed(t, false, "", nil, "completion", shell)
		for _, v := range verbs() {
			if got.code != 0 || !strings.Contains(got.out, v.name) {
				t.Errorf("%s lacks %s: %+v", shell, v.name, got)
			}
		}
		if !strings.Contains(got.out, "strict") {
			t.Errorf("%s lacks the flags: %s", shell, got.out)
		}
	}
	if got := printed(t, false, "", nil, "completion", "csh"); got.code != 2 {
		t.Errorf("%+v", got)
	}
	program, err := exec.LookPath("bash")
	if err != nil {
		t.Logf("there is no bash: its script is not run")
		return
	}
	script := printed(t, false, "", nil, "completion", "bash").out
	for line, want := range map[string]string{"cash che": "check\n", "cash check -str": "-strict\n"} {
		cmd := exec.Command(program, "--norc", "-c", script+`
COMP_WORDS=(`+line+`); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _cash; printf '%s\n' "${COMPREPLY[@]}"`)
		if out, err := cmd.CombinedOutput(); err != nil || string(out) != want {
			t.Errorf("%s: %v, %q, want %q", line, err, out, want)
		}
	}
}
