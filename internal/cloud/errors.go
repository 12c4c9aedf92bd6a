package cloud

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/stackreeve/stackreeve/internal/outbound"
	"github.com/stackreeve/stackreeve/internal/pattern"
	"github.com/stackreeve/stackreeve/internal/private"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// classify gives the error of a request its class (see package kind). Its text is the part of the server's message
// that words returns, without the request's body. The service's row decides where services differ.
//
//	400, 403, 405, 413, 422, 501    rejected
//	401 although the token was      rejected, and the server's message hidden
//	renewed for the request
//	404, 410                        gone
//	403, 409, 413 because a quota   rejected, quota exceeded (Nova answers 403, Neutron 409,
//	or the addresses are used up    Cinder 413)
//	409 for other reasons           busy, or rejected, as the service's row says
//	409 that a person must resolve  rejected, recognised by the message (see [block])
//	412, 423                        busy
//	400 because of unfinished work  busy, if the service's row has such a message
//	429, 503 with Retry-After       transient, with the time until the next attempt
//	other codes, and no answer      transient; a write that may have been sent, or got 502 or 504, is also unanswered
func classify(err error, of *service, words quote) error {
	if err == nil || classified(err) {
		return err
	}
	var lapsed *gophercloud.ErrUnableToReauthenticate
	if errors.As(err, &lapsed) {
		return lapsedError(lapsed.ErrReauth)
	}
	var code gophercloud.ErrUnexpectedResponseCode
	if !errors.As(err, &code) {
		return markUnanswered(mayContinue(err), withoutURL(err))
	}
	answer := &answerError{request: fmt.Sprintf("%s %s: %d", code.Method, pathOf(code.URL), code.Actual), code: code.Actual, words: words(code.Body)}
	if id := code.ResponseHeader.Get("X-Openstack-Request-Id"); requestID.MatchString(id) {
		answer.id = id
	}
	described := answer.withoutAddresses()
	usedUp := of.usedUp != nil && of.usedUp.Regexp().Match(code.Body)
	class := classOf(code)
	if code.Actual == http.StatusConflict {
		if class = of.conflict; usedUp {
			class = kind.ErrRejected
		} else if b := of.blocked(code.Body); b != nil {
			return fmt.Errorf("%w: %w; %s", kind.ErrRejected, described, b.fix)
		}
	}
	if code.Actual == http.StatusBadRequest && of.working != nil && of.working.Regexp().Match(code.Body) {
		class = kind.ErrBusy
	}
	if errors.Is(class, kind.ErrRejected) && usedUp {
		return fmt.Errorf("%w: %w: %w", class, kind.ErrExhausted, described)
	}
	switch {
	case code.Actual == http.StatusUnauthorized: // to a token that was renewed for the request
		return private.Hidef(lockedOut, "%w: %w; check whether the credentials were revoked", class, described)
	case class != nil && of.lacking != nil && of.lacking.Regexp().Match(code.Body):
		return forbidden(code, fmt.Errorf("%w: %w; %s", class, described, of.advice))
	case class != nil:
		return forbidden(code, fmt.Errorf("%w: %w", class, described))
	}
	if after := retryAfter(code.ResponseHeader); after > 0 {
		described = &kind.RetryAfterError{After: after, Err: described}
	}
	return markUnanswered(byProxy(code.Actual) && writes(code.Method, code.URL), described)
}

// forbidden makes the error of a 403 a [kind.ErrForbidden], too.
func forbidden(code gophercloud.ErrUnexpectedResponseCode, err error) error {
	if code.Actual == http.StatusForbidden {
		return forbiddenError{err}
	}
	return err
}

// forbiddenError is an error that is also [kind.ErrForbidden]. Its text stays the same.
type forbiddenError struct{ error }

func (e forbiddenError) Unwrap() error { return e.error }

func (forbiddenError) Is(target error) bool { return target == kind.ErrForbidden }

// lapsedError explains why an expired token could not be renewed.
func lapsedError(err error) error {
	var code gophercloud.ErrUnexpectedResponseCode
	if errors.As(err, &code) && refusesCredentials(code) {
		return private.Hidef(lockedOut, "%w: Keystone does not accept the credentials any more (%s); check whether they were revoked or have expired", kind.ErrRejected, withheld(code.Body))
	}
	return fmt.Errorf("renew the token: %w", classify(err, identity(), withheld))
}

func classified(err error) bool {
	for _, class := range []error{kind.ErrBusy, kind.ErrRejected, kind.ErrGone, kind.ErrNoService} {
		if errors.Is(err, class) {
			return true
		}
	}
	return errors.As(err, new(*kind.RetryAfterError))
}

func classOf(code gophercloud.ErrUnexpectedResponseCode) error {
	switch code.Actual {
	case http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusMethodNotAllowed,
		http.StatusRequestEntityTooLarge, http.StatusNotImplemented, http.StatusUnprocessableEntity:
		return kind.ErrRejected
	case http.StatusNotFound, http.StatusGone:
		return kind.ErrGone
	case http.StatusPreconditionFailed, http.StatusLocked:
		return kind.ErrBusy
	}
	return nil
}

// withoutAddresses returns the error without the addresses of the cloud in its message. Only the log shows the whole
// message.
func (e *answerError) withoutAddresses() error {
	if bare := addresses.Regexp().ReplaceAllStringFunc(e.words, bareAddress); bare != e.words {
		return private.Hide(e.appendWords(bare), e)
	}
	return e
}

// addresses matches addresses in the messages of services: URLs, IPv4 addresses with a port, and Python's
// HTTPConnectionPool(host='…', port=…).
var addresses = pattern.Of(`(?i)\b[a-z][a-z0-9+.-]*://[^\s"'<>)]+|\b\d{1,3}(\.\d{1,3}){3}:\d{1,5}\b|\bhost=['"][^'"]*['"](, port=\d+)?`)

// bareAddress replaces an address in a message. It returns an address unchanged if it is meant for people, such as that of a status page.
// Such an address is a website's, and not that of a service or a machine.
func bareAddress(text string) string {
	u, err := url.Parse(text)
	if err == nil && u.Scheme == "https" && u.Port() == "" && u.User == nil && strings.Contains(u.Hostname(), ".") && net.ParseIP(u.Hostname()) == nil {
		return text
	}
	return "[address]"
}

// conceal removes the names of the cloud's servers from the public text of an error (see [private.Text]).
func (c *Client) conceal(err error) error {
	if err == nil {
		return nil
	}
	public := err.Error()
	for _, host := range c.known.hosts() {
		public = strings.ReplaceAll(public, host, "[address]")
	}
	if public == err.Error() {
		return err
	}
	return private.Hide(public, err)
}

// withoutURL removes the address from the error of a request that got no answer. The log still shows the cause, and
// errors.Is still recognises a cancellation.
func withoutURL(err error) error {
	var u *url.Error
	switch {
	case errors.Is(err, context.Canceled):
		return private.Hide(context.Canceled.Error(), err)
	case errors.As(err, &u):
		at := strings.ToUpper(u.Op) + " " + pathOf(u.URL)
		err = private.Hidef(at+": "+unanswered(u.Err), "%s: no answer: %w", at, u.Err)
	default:
		err = private.Hide("no answer that can be used; the agent's log has the details", err)
	}
	if errors.Is(err, outbound.ErrRefused) {
		return fmt.Errorf("%w: %w", kind.ErrRejected, err)
	}
	return err
}

// unanswered returns the reason why there is no answer, without addresses.
func unanswered(err error) string {
	switch {
	case errors.Is(err, errNoTurn):
		return errNoTurn.Error()
	case errors.Is(err, outbound.ErrTooLarge):
		return "the answer is too large"
	case errors.Is(err, outbound.ErrRefused):
		return "the answer redirects to another address and is not used; the agent's log has the details"
	case errors.As(err, new(*tls.CertificateVerificationError)):
		return "the certificate is not trusted; the agent's log has the details"
	case errors.Is(err, context.DeadlineExceeded):
		return "no answer in time"
	}
	return "no answer; the agent's log has the details"
}

func pathOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "request"
	}
	return u.Path
}

// echoed matches the value that Nova's schema validation repeats (nova/api/validation/validators.py), which may be a
// secret.
var echoed = pattern.Of(`(?s)Value: .*?(\. |$)`)

// serverMessage is the service's message in its answer. Each service has its own format:
//
//	Neutron   {"NeutronError": {"message": …}}
//	Nova      {"badRequest": {"message": …}}; Cinder, too
//	Octavia   {"faultstring": …}
//	Keystone  {"error": {"message": …}}
//	Glance    an HTML page
func serverMessage(body []byte) string {
	text := jsonMessage(body)
	if text == "" {
		text = markup.ReplaceAllString(string(body), " ")
	}
	text = echoed.ReplaceAllString(text, "")
	return strings.Join(strings.Fields(text), " ")
}

var markup = pattern.Of(`(?s)<head>.*?</head>|<[^>]*>`)

func jsonMessage(body []byte) string {
	var top map[string]json.RawMessage
	if json.Unmarshal(body, &top) != nil {
		return ""
	}
	var text string
	if json.Unmarshal(top["faultstring"], &text) == nil && text != "" {
		return text
	}
	for _, raw := range top {
		var inner struct {
			Message string `json:"message"`
		}
		if json.Unmarshal(raw, &inner) == nil && inner.Message != "" {
			return inner.Message
		}
		if json.Unmarshal(raw, &text) == nil && text != "" && len(top) == 1 {
			return text
		}
	}
	return ""
}
