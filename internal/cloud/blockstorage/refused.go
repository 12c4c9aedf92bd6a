package blockstorage

import (
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud"
)

// Refused makes a deletion one to be tried again that Cinder has refused in these words, by the object's status. A status
// after an error, such as error_deleting, lasts until a person resets it.
func Refused(err error, status, words string) error {
	if strings.HasPrefix(status, "error_") {
		return err
	}
	return cloud.Passes(err, words)
}
