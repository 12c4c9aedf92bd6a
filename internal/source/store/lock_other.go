//go:build !(linux || darwin || freebsd || openbsd || netbsd || dragonfly)

package store

import (
	"errors"
	"io"
)

// lockFile returns an error, because this system has no lock that ends with the process. So the
// cache is in memory.
func lockFile(string) (io.Closer, error) {
	return nil, errors.New("this operating system has no file locks that end with the process")
}
