package main

import (
	"encoding/pem"
	"fmt"
	"maps"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/stackreeve/stackreeve"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// lapse makes every token expire after it was used for a number of requests. Each token expires in the way in which Keystone reports it to
// other services.
type lapse struct {
	after int

	mu     sync.Mutex
	used   map[string]int
	lapsed int
}

func (l *lapse) spoil(w http.ResponseWriter, r *http.Request, forward func() (*answer, error)) {
	token := r.Header.Get("X-Auth-Token")
	l.mu.Lock()
	l.used[token]++
	ended := l.used[token] > l.after
	if l.used[token] == l.after+1 {
		l.lapsed++
	}
	l.mu.Unlock()
	if ended {
		refuse(http.StatusUnauthorized, "")(w, r, forward)
		return
	}
	a, err := forward()
	if err != nil {
		cut(w, nil, 0)
		return
	}
	a.write(w, len(a.body))
}

// If a pass takes longer than its token is valid, it continues with a new token.
func TestCloudTokenEnds(t *testing.T) {
	testcost.Long(t) // agents run in real time, against simulated servers
	g := newGround(t)
	story, err := stackreeve.Example("verda")
	if err != nil {
		t.Fatal(err)
	}
	for _, way := range []struct {
		what, holds string
		commit      func()
	}{
		{"building", verdaHolds, func() { g.commit(story) }},
		{"emptying", "nothing", func() { g.commit(fstest.MapFS{"README.md": {}}) }},
	} {
		way.commit()
		l := &lapse{after: 20, used: map[string]int{}}
		g.proxy.during(func(c call) spoil {
			if c.service == "identity" {
				return nil
			}
			return l.spoil
		})
		e := g.wants(0, []string{"in sync: 8 "}, "run", "--once", "--max-deletes", "100%")
		logins := 0
		for _, c := range g.proxy.seen() {
			if c.login {
				logins++
			}
		}
		if l.lapsed < 1 || logins != l.lapsed+1 {
			t.Errorf("%s: %d tokens ended, and there were %d logins; want some, and one login for each", way.what, l.lapsed, logins)
		}
		g.holds(way.what, "-sample", way.holds)
		t.Logf("%s: %d tokens in %s", way.what, logins, e.took)
	}
}

// login is one way to log in.
type login struct {
	name   string
	entry  map[string]any // the entry in clouds.yaml
	secure map[string]any // the entry in secure.yaml
	env    map[string]string
	via    *proxy
	refuse string // the message if the login is refused
}

// The program can log in in each way that OpenStack clients know. A refused login is reported once, and not tried again.
func TestCloudLogins(t *testing.T) {
	testcost.Long(t) // agents run in real time, against simulated servers
	g := newGround(t)
	g.commit(fstest.MapFS{"group.yaml": {Data: []byte(`apiVersion: openstack.k-orc.cloud/v1alpha1
kind: ServerGroup
metadata: {name: login}
spec: {resource: {policy: soft-anti-affinity}}
`)}})
	made := g.must(g.client.one("application", "credential", "create", g.stack))
	t.Cleanup(func() { g.mustDo(g.client, "application", "credential", "delete", made.text("id")) })
	for _, way := range g.logins(made) {
		t.Run(way.name, func(t *testing.T) {
			g := *g
			g.t = t
			if way.via == nil {
				way.via = g.proxy
			}
			way.via.during(nil)
			e := g.finish(g.loggingIn(way))
			switch n := len(way.via.seen()); {
			case way.refuse == "" && e.code == 2 && strings.Contains(e.said, "+ ServerGroup/login"):
			case way.refuse != "" && e.code == 1 && strings.Contains(e.said, way.refuse) && n <= 1:
			default:
				t.Errorf("code %d after %d requests, want %q of\n%s", e.code, n, way.refuse, e.said)
			}
			if strings.Contains(e.said, made.text("secret")) {
				t.Errorf("the secret is shown:\n%s", e.said)
			}
		})
	}
}

// logins returns all ways to log in. made is an application credential.
func (g *ground) logins(made thing) []login {
	password := g.by(g.proxy)
	auth := authOf(password)
	keystone, err := endpointOf("identity", fmt.Sprint(auth["auth_url"]))
	if err != nil {
		g.t.Fatal(err)
	}
	credential := map[string]any{"auth_type": "v3applicationcredential", "region_name": g.entry["region_name"],
		"auth": map[string]any{"auth_url": auth["auth_url"], "application_credential_id": made.text("id"), "application_credential_secret": made.text("secret")}}
	secure := newProxy(g.t, g.proxy.places, true)
	g.write("ca.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.servers[0].Certificate().Raw})))
	trusting := g.by(secure)
	trusting["cacert"] = g.path("ca.pem")
	const refused = "refuses the credentials"
	return []login{
		{name: "password", entry: password},
		{name: "application credential", entry: credential},
		{name: "secure.yaml", entry: with(password, "password", nil), secure: map[string]any{"auth": map[string]any{"password": auth["password"]}}},
		{name: "OS variables", env: variables(password)},
		{name: "OS variables with an application credential", env: variables(credential)},
		{name: "certificate of one's own", entry: trusting, via: secure},
		{name: "unknown certificate", entry: g.by(secure), via: secure, refuse: "set cacert in the clouds.yaml entry"},
		{name: "wrong password", entry: with(password, "password", "wrong"), refuse: refused},
		{name: "unknown user", entry: with(password, "username", "nobody-"+g.stack), refuse: refused},
		{name: "unknown project", entry: with(password, "project_name", "nowhere-"+g.stack), refuse: refused},
		{name: "wrong secret", entry: with(credential, "application_credential_secret", "wrong"), refuse: refused},
		{name: "unknown application credential", entry: with(credential, "application_credential_id", "00000000000000000000000000000000"), refuse: refused},
		{name: "wrong variables", env: variables(with(password, "password", "wrong")), refuse: refused},
		{name: "wrong path", entry: with(password, "auth_url", keystone.origin+"/nothing/v3"), refuse: "check auth_url"},
	}
}

// loggingIn returns a plan command that logs in in this way.
func (g *ground) loggingIn(way login) *exec.Cmd {
	g.writeClouds(map[string]any{"way": way.entry})
	g.writeYAML("secure.yaml", map[string]any{"clouds": map[string]any{"way": way.secure}})
	if way.env == nil {
		return g.command("plan", "--cloud", "way")
	}
	cmd := g.command("plan", "--stack", g.stack, "--url", g.path("repo"), "--branch", "main")
	cmd.Args = cmd.Args[:len(cmd.Args)-2] // without a configuration file
	cmd.Env = plainEnvironment()
	for name, value := range way.env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	return cmd
}

func authOf(entry map[string]any) map[string]any {
	auth, _ := entry["auth"].(map[string]any)
	return auth
}

// with returns an entry of clouds.yaml with another value under auth. If the value is nil, it is removed.
func with(entry map[string]any, name string, value any) map[string]any {
	out, auth := maps.Clone(entry), maps.Clone(authOf(entry))
	if auth[name] = value; value == nil {
		delete(auth, name)
	}
	out["auth"] = auth
	return out
}

// variables returns the variables of an openrc file for an entry of clouds.yaml.
func variables(entry map[string]any) map[string]string {
	env := map[string]string{}
	for name, value := range authOf(entry) {
		if text, ok := value.(string); ok {
			env["OS_"+strings.ToUpper(name)] = text
		}
	}
	for _, name := range []string{"region_name", "auth_type"} {
		if text, ok := entry[name].(string); ok {
			env["OS_"+strings.ToUpper(name)] = text
		}
	}
	return env
}
