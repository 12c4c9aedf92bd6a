// Package child runs kustomize in a process of its own, which can reach nothing: no files, no environment, no network, no
// other programs, and only so much memory and time.
//
//	agent ──Input──▶ child: limits, then kustomize on files in memory ──Output──▶ agent
//
// The program calls itself with [Command]. What kustomize reads is checked before (package kustomize). The process is a
// second wall, for what the first one may overlook.
package child
