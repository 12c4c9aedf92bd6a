package main

import (
	"cmp"
	"runtime/debug"
)

// release is set by the linker when a release is built.
var release string

// version is the release, or what the Go tool knows about the build.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return cmp.Or(release, "unknown")
	}
	return cmp.Or(release, info.Main.Version, "unknown")
}
