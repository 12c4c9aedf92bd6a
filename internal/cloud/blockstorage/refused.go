package blockstorage

import (
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud"
)

// Refused makes Cinder's refusal of a deletion, with these words, an error to retry. status is the object's: a status
// such as error_deleting lasts until a person resets it, so then the refusal stays.
func Refused(err error, status, words string) error {
	if strings.HasPrefix(status, "error_") {
		return err
	}
	return cloud.Passes(err, words)
}
