//go:build linux && !amd64 && !arm64

package child

func forbidden() (calls []uint32, arch uint32) { return nil, 0 }
