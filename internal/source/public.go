package source

import (
	"errors"

	"github.com/stackreeve/stackreeve/internal/private"
	"github.com/stackreeve/stackreeve/internal/source/failure"
)

// Public returns err in a form that may be published. If the content of a commit is wrong, the text
// has the details. Otherwise it only has the class. The text with addresses, files of this machine
// and messages of servers is available from [private.Text].
func Public(err error) error {
	if err == nil {
		return nil
	}
	if errors.As(err, new(*Unverified)) {
		return err
	}
	const log = "; the agent's log has the details"
	var known *failure.Error
	switch ok := errors.As(err, &known); {
	case ok && known.Public != "":
		return private.Hide(known.Public, err)
	case errors.Is(err, ErrConfig):
		return private.Hide("the agent's configuration of the repository is wrong"+log, err)
	case errors.Is(err, ErrCredentials):
		return private.Hide("the agent's login to the repository is not accepted"+log, err)
	case errors.Is(err, ErrNotFound):
		return private.Hide("the repository, branch, reference or folder is not found"+log, err)
	}
	return private.Hide("the repository cannot be read"+log, err)
}
