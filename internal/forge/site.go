package forge

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/stackreeve/stackreeve/internal/outbound"
)

// Site returns the URL of a forge, without slashes at its end. A URL without TLS is allowed on this machine only. Errors show
// example, which is a valid URL.
func Site(text, example string) (string, error) {
	u, err := url.Parse(text)
	if err != nil {
		return "", errors.New("the url is not a URL, such as " + example)
	}
	switch {
	case u.User != nil:
		return "", errors.New("the url holds credentials; put the token into a file and name it in tokenFile")
	case u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.Scheme != "https" && u.Scheme != "http":
		return "", errors.New("the url is not an address of a forge, such as " + example)
	case u.Scheme == "http" && !outbound.Loopback(u.Hostname()):
		return "", errors.New("the url would send the token unencrypted; use https")
	}
	return strings.TrimRight(u.Scheme+"://"+u.Host+u.EscapedPath(), "/"), nil
}

// BaseTrusting returns [NewBase] that also trusts the certificates of a file; "" means no file.
func BaseTrusting(file string) (http.RoundTripper, error) {
	if file == "" {
		return NewBase(nil), nil
	}
	trust, err := outbound.Trusting(file)
	if err != nil {
		return nil, fmt.Errorf("caFile: %w", err)
	}
	return NewBase(trust), nil
}
