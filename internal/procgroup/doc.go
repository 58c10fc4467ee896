// Package procgroup ends commands together with the processes they have started. It also lists the variables they
// inherit, and tells why one did not start. It is used by all packages that start commands.
//
//	cmd := exec.Command("server")
//	cmd.Env = procgroup.Environ()
//	group := procgroup.New(cmd)
//	exited, err := group.Start()
//	if err != nil {
//		return err
//	}
//	defer group.Kill()
//	<-exited
//
// # Limits
//
// On Unix, processes that leave the group survive. On Windows, taskkill ends the tree as far as it is connected.
// Elsewhere only the command itself is ended.
//
// If this process is killed, it cannot end anything. On Linux and FreeBSD the system then kills each command that
// [Group.Start] has started, but not what such a command has started in turn, unless that was done in the same way.
// Programs that change their user, and on Linux those with file capabilities, are not killed. On other systems a
// command learns of the end from its pipes: its input ends, and its output cannot be written.
package procgroup
