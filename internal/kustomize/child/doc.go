// Package child runs kustomize in a process of its own, which can reach nothing: no files, no environment, no network, no
// other programs, and only so much memory and time.
//
//	agent ──Input──▶ child: limits, then kustomize on files in memory ──Output──▶ agent
//
// The program calls itself with [Command]. Package kustomize checks the input before. The process protects the agent if that
// check has a mistake.
package child
