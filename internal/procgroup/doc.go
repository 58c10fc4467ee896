// Package procgroup ends commands together with what they have started, and says
// which variables they inherit and why one did not start.
//
//	cmd := exec.Command("server")
//	cmd.Env = procgroup.Environ()
//	group := procgroup.New(cmd)
//	if err := cmd.Start(); err != nil {
//		return err
//	}
//	defer group.Kill()
//
// # Limits
//
// On Unix what leaves its process group lives on. On Windows the tree is ended by
// taskkill, as far as it still hangs together; elsewhere only the command itself
// is.
package procgroup
