package s3

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/stackreeve/stackreeve/internal/pattern"
)

var (
	// ErrNotFound says that there is no such object, or no such bucket.
	ErrNotFound = errors.New("there is no such object")
	// ErrNoBucket says that there is no such bucket, where the store tells that from no such object.
	ErrNoBucket = fmt.Errorf("%w: there is no such bucket", ErrNotFound)
	// ErrChanged says that an object is there, or is another one than was seen, and nothing was done.
	ErrChanged = errors.New("the object is another one than was seen")
	// ErrDenied says that the store does not accept the keys, or does not let them do this.
	ErrDenied = errors.New("the store does not allow it")
	// ErrRejected says that the store takes no such request.
	ErrRejected = errors.New("the store refuses it")
)

// What a store refuses and people can correct, in words of our own: all are [ErrRejected], also where the store says 403.
var (
	// ErrArchived says that the data of an object cannot be read or copied where it is now.
	ErrArchived = fmt.Errorf("%w: the object was moved to an archive, as by a lifecycle rule of the bucket; restore it there, or exclude its folder from the rule", ErrRejected)
	// ErrClock says that the store believes no signature of the time at which it was asked.
	ErrClock = fmt.Errorf("%w: the clock of this machine differs from the store's; correct it", ErrRejected)
	// ErrFull says that an account or a bucket may hold no more.
	ErrFull = fmt.Errorf("%w: there is no room left; raise the quota of the bucket or its account, or keep fewer objects", ErrRejected)
	// ErrAddress says that a bucket is reached elsewhere.
	ErrAddress = fmt.Errorf("%w: the bucket is in another region, or at another address; correct spec.defaults.s3.region or spec.defaults.s3.endpoint of the stack's configuration", ErrRejected)
)

// corrected are the codes of those. (AWS: Error Responses; Ceph: src/rgw/rgw_common.cc; MinIO: cmd/api-errors.go)
func corrected(code string) error {
	switch code {
	case "InvalidObjectState":
		return ErrArchived
	case "RequestTimeTooSkewed":
		return ErrClock
	case "QuotaExceeded", "XMinioAdminBucketQuotaExceeded":
		return ErrFull
	case "PermanentRedirect", "AuthorizationHeaderMalformed":
		return ErrAddress
	}
	return nil
}

// code is the form of what a store says is wrong; its message, which repeats keys and addresses, is not read.
// (AWS: Error Responses)
var code = pattern.Of(`^[A-Za-z0-9.]{1,60}$`)

// mostSaid is how much of a refusal is read.
const mostSaid = 64 << 10

type said struct {
	XMLName xml.Name `xml:"Error"`
	Code    string   `xml:"Code"`
}

// codeOf is what a body says is wrong; "" when it does not.
func codeOf(body []byte) string {
	var s said
	if xml.Unmarshal(body, &s) != nil || !code.MatchString(s.Code) {
		return ""
	}
	return s.Code
}

// refusal is the error of an answer that is none of success. A HEAD has no words.
func refusal(req *http.Request, resp *http.Response) error {
	body, _ := io.ReadAll(io.LimitReader(resp.Body, mostSaid)) // what was read is enough
	return refused(req.Method, resp.StatusCode, codeOf(body))
}

func refused(method string, status int, code string) error {
	text := fmt.Sprintf("%s: %d", method, status)
	if code != "" {
		text += " " + code
	}
	class := classOf(status, code)
	if class == nil {
		return errors.New(text)
	}
	return fmt.Errorf("%w (%s)", class, text)
}

// classOf is nil for what may go away by itself.
func classOf(status int, code string) error {
	switch own := corrected(code); {
	case own != nil:
		return own
	case status == http.StatusMovedPermanently: // the answer to a HEAD has no code
		return ErrAddress
	case code == "NoSuchBucket":
		return ErrNoBucket
	case status == http.StatusNotFound, status == http.StatusGone:
		return ErrNotFound
	case status == http.StatusPreconditionFailed, code == "ConditionalRequestConflict":
		return ErrChanged
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return ErrDenied
	case code == "InternalError", code == "SlowDown", code == "RequestTimeout", code == "OperationAborted", status == http.StatusTooManyRequests, status == http.StatusRequestTimeout:
		return nil
	case status < http.StatusInternalServerError, status == http.StatusNotImplemented:
		return ErrRejected
	}
	return nil
}
