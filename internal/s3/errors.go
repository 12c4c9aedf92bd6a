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
	// ErrNotFound is the error that there is no such object or no such bucket.
	ErrNotFound = errors.New("there is no such object")
	// ErrNoBucket is the error that there is no such bucket, if the store distinguishes it from a missing object.
	ErrNoBucket = fmt.Errorf("%w: there is no such bucket", ErrNotFound)
	// ErrChanged is the error that an object already exists, or differs from the one that was read. The request was
	// not carried out.
	ErrChanged = errors.New("the object was replaced by another object")
	// ErrDenied is the error that the store does not accept the keys, or that the keys do not have the permission.
	ErrDenied = errors.New("the store does not allow the request")
	// ErrRejected is the error that the store does not accept such a request.
	ErrRejected = errors.New("the store refuses the request")
)

// These errors can be corrected by people, and their texts are written here. All of them are [ErrRejected], even
// if the store answers 403.
var (
	// ErrArchived is the error that the data of an object cannot be read or copied in its present storage class.
	ErrArchived = fmt.Errorf("%w: the object was moved to an archive, as by a lifecycle rule of the bucket; restore it there, or exclude its folder from the rule", ErrRejected)
	// ErrClock is the error that the store refuses a signature because of its time.
	ErrClock = fmt.Errorf("%w: the clock of this machine differs from the store's; correct it", ErrRejected)
	// ErrFull is the error that an account or a bucket has reached its quota.
	ErrFull = fmt.Errorf("%w: there is no room left; raise the quota of the bucket or its account, or keep fewer objects", ErrRejected)
	// ErrAddress is the error that a bucket has another address.
	ErrAddress = fmt.Errorf("%w: the bucket is in another region, or at another address; correct spec.defaults.s3.region or spec.defaults.s3.endpoint of the stack's configuration", ErrRejected)
)

// corrected returns the error of this list for a store's code, or nil. (AWS: Error Responses; Ceph:
// src/rgw/rgw_common.cc; MinIO: cmd/api-errors.go)
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

// code matches the code in a store's error. The store's message is not read, because it repeats keys and
// addresses. (AWS: Error Responses)
var code = pattern.Of(`^[A-Za-z0-9.]{1,60}$`)

// maxErrorBytes is the maximum number of bytes of an error answer that are read.
const maxErrorBytes = 64 << 10

type said struct {
	XMLName xml.Name `xml:"Error"`
	Code    string   `xml:"Code"`
}

// codeOf returns the error code in a body, or "".
func codeOf(body []byte) string {
	var s said
	if xml.Unmarshal(body, &s) != nil || !code.MatchString(s.Code) {
		return ""
	}
	return s.Code
}

// refusal returns the error for an answer that reports no success. The answer to a HEAD has no body.
func refusal(req *http.Request, resp *http.Response) error {
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBytes)) // the part that was read is enough
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

// classOf returns the class of an error. It returns nil if the error may disappear later.
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
