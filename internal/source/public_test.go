package source

import (
	"errors"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/private"
	"github.com/stackreeve/stackreeve/internal/source/failure"
)

// TestAttackSourceAddressIsNotPublic checks that people on a forge can read what is wrong with
// their commit. They must not learn from where and how the agent reads it.
func TestAttackSourceAddressIsNotPublic(t *testing.T) {
	addr := address{scheme: "https", host: "git.internal", port: 8443, path: "/ops/cloud.git"}
	for _, c := range []struct {
		err    error
		public string // "" if only the class is public
	}{
		{failure.New(ErrUnavailable, "dial tcp 10.0.0.3:8443: refused"), ""},
		{errors.New("lookup git.internal on 10.0.0.53:53: no such host"), ""},
		{failure.New(ErrCredentials, "auth.tokenFile: open /run/secrets/git: permission denied"), ""},
		{failure.New(ErrConfig, "caFile: /etc/ca.pem holds no PEM certificate"), ""},
		{failure.New(ErrNotFound, "the server answered 404 at /ops/cloud.git"), ""},
		{failure.NewLocal(ErrContent, "open /var/lib/git/objects: input/output error"), ""},
		{failure.New(ErrContent, "the commit has 3000000 objects"), "the commit has 3000000 objects"},
		{failure.NewMissing("after the merge there is no folder %q", "clouds"), `after the merge there is no folder "clouds"`},
	} {
		err := Public(finish(t.Context(), addr, nil, c.err))
		public := err.Error()
		if c.public != "" && public != c.public || c.public == "" && !strings.Contains(public, "the agent's log has the details") {
			t.Errorf("%v: public %q, want %q", c.err, public, c.public)
		}
		for _, secret := range []string{"internal", "10.0.0", "/run", "/etc", "/var", "/ops", "://"} {
			if strings.Contains(public, secret) {
				t.Errorf("%v: public %q", c.err, public)
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
