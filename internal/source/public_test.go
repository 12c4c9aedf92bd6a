package source

import (
	"errors"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/private"
)

// People who read a forge learn what is wrong with their commit, and nothing of
// where the agent reads it and how.
func TestAttackSourceAddressIsNotTold(t *testing.T) {
	addr := address{scheme: "https", host: "git.internal", port: 8443, path: "/ops/cloud.git"}
	for _, c := range []struct {
		err  error
		told string // "" for the class alone
	}{
		{fail(ErrUnavailable, "dial tcp 10.0.0.3:8443: refused"), ""},
		{errors.New("lookup git.internal on 10.0.0.53:53: no such host"), ""},
		{fail(ErrCredentials, "auth.tokenFile: open /run/secrets/git: permission denied"), ""},
		{fail(ErrConfig, "caFile: /etc/ca.pem holds no PEM certificate"), ""},
		{fail(ErrNotFound, "the server answered 404 at /ops/cloud.git"), ""},
		{failHere(ErrContent, "open /var/lib/git/objects: input/output error"), ""},
		{fail(ErrContent, "the commit has 3000000 objects"), "the commit has 3000000 objects"},
		{failContent("after the merge there is no folder %q", "clouds"), `after the merge there is no folder "clouds"`},
	} {
		err := Public(finish(t.Context(), addr, nil, c.err))
		told := err.Error()
		if c.told != "" && told != c.told || c.told == "" && !strings.Contains(told, "the agent's log has the details") {
			t.Errorf("%v: told %q, want %q", c.err, told, c.told)
		}
		for _, secret := range []string{"internal", "10.0.0", "/run", "/etc", "/var", "/ops", "://"} {
			if strings.Contains(told, secret) {
				t.Errorf("%v: told %q", c.err, told)
			}
		}
		if text := private.Text(err); !strings.Contains(text, c.err.Error()) || !strings.Contains(text, "git.internal") {
			t.Errorf("%v: logged %q", c.err, text)
		}
		if NeedsPerson(err) != NeedsPerson(finish(t.Context(), addr, nil, c.err)) {
			t.Errorf("%v: another class", c.err)
		}
	}
	if Public(nil) != nil {
		t.Error("nil became an error")
	}
}
