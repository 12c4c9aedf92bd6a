package kubernetes

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/stackreeve/stackreeve/internal/printable"
)

var (
	// ErrNotFound is the error that there is no such object.
	ErrNotFound = errors.New("there is no such Lease")
	// ErrConflict is the error that the object differs from the one that was read, or already exists.
	ErrConflict = errors.New("the Lease was changed by another program")
)

// maxSaid is the maximum length of a server's message in an error.
const maxSaid = 300

// understand parses an answer. If the status is an error, it returns an error with the server's message.
// (k8s.io/apimachinery/pkg/apis/meta/v1: Status)
func understand(code int, answer []byte, into any) error {
	if code < http.StatusMultipleChoices {
		if into == nil {
			return nil
		}
		if err := json.Unmarshal(answer, into); err != nil {
			return fmt.Errorf("the answer is not from a Kubernetes API server: %w", err)
		}
		return nil
	}
	var status struct {
		Reason  string `json:"reason"`
		Message string `json:"message"`
	}
	_ = json.Unmarshal(answer, &status) // if the answer cannot be parsed, the message is empty
	said := fmt.Sprintf("%d %s", code, printable.Clip(printable.Line(status.Reason+": "+status.Message), maxSaid))
	switch {
	case code == http.StatusNotFound && status.Reason == "NotFound":
		return fmt.Errorf("%w: %s", ErrNotFound, said)
	case code == http.StatusConflict:
		return fmt.Errorf("%w: %s", ErrConflict, said)
	case code == http.StatusForbidden:
		return fmt.Errorf("%s; allow the agent to get, list, create, patch and delete leases of coordination.k8s.io in the namespace", said)
	}
	return errors.New(said)
}
