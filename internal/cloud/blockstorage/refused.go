package blockstorage

import (
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud"
)

// Refused turns Cinder's refusal to delete an object into an error after which the agent tries again, if the refusal
// contains words. It returns the refusal itself if the object's status starts with error_, such as error_deleting, because
// that status lasts until a person resets it.
func Refused(err error, status, words string) error {
	if strings.HasPrefix(status, "error_") {
		return err
	}
	return cloud.Passes(err, words)
}
