// Package procgroup ends commands together with the processes they have started. It also lists the variables they
// inherit, and tells why one did not start. It is used by all packages that start commands.
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
// On Unix, processes that leave the group survive. On Windows, taskkill ends the tree as far as it is connected.
// Elsewhere only the command itself is ended.
package procgroup
