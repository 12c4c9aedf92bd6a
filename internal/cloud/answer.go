package cloud

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/pattern"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/redact"
)

// answerError is the error that a service answered a request with.
type answerError struct {
	request string // the request and the status code
	code    int
	words   string // the service's own message
	id      string // ID of the request in the service's log; "" if the service sent none
}

// Error implements error.
func (e *answerError) Error() string { return e.appendWords(e.words) }

// ErrUnmet is the error of a request whose condition, such as If-None-Match, is not met.
var ErrUnmet = errors.New("the condition of the request is not met")

// Is implements [errors.Is].
func (e *answerError) Is(target error) bool {
	return target == ErrUnmet && e.code == http.StatusPreconditionFailed
}

// Unquoted implements kind.Unquoted.
func (e *answerError) Unquoted() string { return e.appendWords("") }

func (e *answerError) appendWords(words string) string {
	text := e.request
	if words != "" {
		text += " " + words
	}
	if e.id != "" {
		text += " (" + e.id + ")"
	}
	return text
}

// requestID matches an OpenStack request ID. Other text in that header may be anything and is not
// shown. (oslo_context/context.py: generate_request_id)
var requestID = pattern.Of(`^req-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// quote returns the part of an error's body that may be shown.
type quote func(body []byte) string

// maxCharacters is how many characters of a service's message are shown.
const maxCharacters = 400

// plainly is a [quote] that returns the service's message.
func plainly(body []byte) string { return printable.Shorten(serverMessage(body), maxCharacters) }

// withheld is a [quote] that returns nothing of the service's message: the request carried a secret,
// and a service may repeat it in any form. If the message is one of explanations, our own text
// replaces it.
func withheld(body []byte) string {
	if said := explanationOf(serverMessage(body)); said != "" {
		return said
	}
	return withheldWords
}

const withheldWords = "(the server's message is withheld: the request carried user data or a secret)"

// quoted returns the [quote] for the answer to a call.
func (c *Client) quoted(ctx context.Context, call Call) quote {
	stack := redact.From(ctx)
	if call.Secret {
		return withheld
	}
	return func(body []byte) string {
		return printable.Shorten(c.own().Text(stack.Text(serverMessage(body))), maxCharacters)
	}
}

// shortestCredential is the least length of a password that is removed from texts. Removing a shorter
// one would make them unreadable.
const shortestCredential = 8

// Secrets are the credentials that the client uses now, without those shorter than [shortestCredential].
func (c *Client) Secrets() []string {
	all := append(slices.Clone(c.credentials), secretPart(c.provider.Token()))
	return slices.DeleteFunc(all, func(s string) bool { return len(s) < shortestCredential })
}

// secretPart is a token without the prefix that all Fernet tokens of Keystone share (a version and a
// time). Public RSA keys contain the same bytes, and they are not secret.
func secretPart(token string) string { return strings.TrimPrefix(token, "gAAAAAB") }

func (c *Client) own() *redact.Redactor {
	return redact.New(slices.Values(c.Secrets()), slices.Values([]string(nil)))
}

// carries reports whether the body of a request contains a secret.
func carries(r *redact.Redactor, body any) bool {
	if body == nil || r.None() {
		return false
	}
	text, err := json.Marshal(body)
	return err != nil || anyLeaf(text, r.Holds)
}

// anyLeaf reports whether any string value in a JSON text meets the condition is. It also reports
// true if the text is no JSON.
func anyLeaf(text []byte, is func(string) bool) bool {
	var tree any
	if json.Unmarshal(text, &tree) != nil {
		return true
	}
	var within func(any) bool
	within = func(node any) bool {
		switch node := node.(type) {
		case string:
			return is(node)
		case []any:
			return slices.ContainsFunc(node, within)
		case map[string]any:
			for _, value := range node {
				if within(value) {
					return true
				}
			}
		}
		return false
	}
	return within(tree)
}

// withoutAnswerText replaces an error that may quote the answer to a request with a secret: net/http quotes text
// that it could not read. It returns errors of the connection unchanged.
func withoutAnswerText(err error) error {
	var network net.Error
	if errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, context.Canceled) {
		return err
	}
	return errors.New("the answer cannot be read " + withheldWords)
}

// explanations are frequent messages of services to requests with secrets, and our own texts for them.
// Only numbers, and names from a list, are taken from the service's message.
var explanations = []struct {
	said *pattern.Pattern
	ours string
}{
	{pattern.Of(`Quota exceeded for (cores|ram|instances|server_groups|server_group_members|key_pairs|injected_files|metadata_items)\b`), "quota exceeded: $1"},
	{pattern.Of(`Quota exceeded`), "quota exceeded"},
	{pattern.Of(`Flavor's disk is too small for requested image`), "the flavor's disk is too small for the image"},
	{pattern.Of(`Flavor's memory is too small for requested image`), "the flavor's memory is too small for the image"},
	{pattern.Of(`Volume is smaller than the minimum size|is smaller than the minimum size specified in image`), "the volume is too small for the image"},
	{pattern.Of(`Image .{0,80} is not active`), "the image is not active"},
	{pattern.Of(`Image .{0,80} could not be found|Can not find requested image`), "the image no longer exists"},
	{pattern.Of(`Flavor .{0,80} could not be found`), "the flavor no longer exists"},
	{pattern.Of(`Port .{0,80} is still in use|Port .{0,80} is in use`), "a port is in use by another server"},
	{pattern.Of(`current status is in-use`), "a volume is in use by another server: its status is in-use"},
	{pattern.Of(`Port .{0,80} could not be found`), "a port no longer exists"},
	{pattern.Of(`Port .{0,80} requires a FixedIP`), "a port has no fixed address"},
	{pattern.Of(`Invalid key_name provided`), "the key pair no longer exists"},
	{pattern.Of(`The requested availability zone is not available`), "the availability zone is not available"},
	{pattern.Of(`[Bb]lock [Dd]evice [Mm]apping`), "the disks to boot from are not valid"},
	{pattern.Of(`[Uu]ser data|user_data`), "the cloud rejects the user data"},
	{pattern.Of(`No valid host was found`), "no host has enough room"},
	{pattern.Of(`managing additional application credentials`), "a restricted application credential cannot manage other application credentials; log in with a password, or with an application credential that was created with --unrestricted"},
	{pattern.Of(`Duplicate entry found with name|not permitted to have two projects`), "the name is taken"},
	{pattern.Of(`[Pp]assword does not match the requirements|[Pp]assword .{0,80}(too long|length)|not be identical to a previous password`), "the password breaks the cloud's rules"},
	{pattern.Of(`Policy doesn't allow|not authorized to perform the requested action`), "the cloud's policy does not allow this request to this user"},
	{pattern.Of(`The request you have made requires authentication`), "the service says that the request requires authentication"},
	{pattern.Of(`The password is expired`), "the password has expired"},
	{pattern.Of(`The account is (disabled|locked) for user`), "the account is $1"},
	{pattern.Of(`Could not find Application Credential`), "the service knows no such application credential"},
	{pattern.Of(`Could not find (project|user|domain)`), "the service knows no such $1"},
}

// explanationOf returns our own text for a service's message; "" if the message is not among the explanations.
func explanationOf(words string) string {
	for _, e := range explanations {
		if m := e.said.Regexp().FindStringSubmatchIndex(words); m != nil {
			return string(e.said.Regexp().ExpandString(nil, e.ours, words, m)) + " (its own message is withheld: the request carried a secret)"
		}
	}
	return ""
}

// unread is the error for an answer that does not contain the expected value.
func unread(call Call, err error) error {
	if call.Secret {
		err = withoutAnswerText(err)
	}
	return fmt.Errorf("%s: %s /%s: the answer cannot be read: %w", call.Service, call.Method, call.Path, err)
}
