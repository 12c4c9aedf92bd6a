package cloud_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/private"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// No text repeats a password, and texts that may be published contain neither addresses nor files.
func TestAttackCredentialsInErrors(t *testing.T) {
	h := newHostile(t, false, func(http.ResponseWriter, *http.Request) {})
	good := "clouds: {hostile: {auth: {auth_url: '" + h.URL + "/v3', username: me, password: hunter2-hunter2, project_name: p}}}\n"
	for what, files := range map[string]map[string]string{
		"login in auth_url":   {"clouds.yaml": "clouds: {hostile: {auth: {auth_url: 'https://me:hunter2@keystone.internal:5000/v3'}}}"},
		"no scheme":           {"clouds.yaml": "clouds: {hostile: {auth: {auth_url: 'me:hunter2@keystone.internal'}}}"},
		"bad escape":          {"clouds.yaml": "clouds: {hostile: {auth: {auth_url: 'https://me:hunter2%zz@keystone.internal'}}}"},
		"bad port":            {"clouds.yaml": "clouds: {hostile: {auth: {auth_url: 'https://me@keystone.internal:hunter2'}}}"},
		"another scheme":      {"clouds.yaml": "clouds: {hostile: {auth: {auth_url: 'ftp://me:hunter2@keystone.internal'}}}"},
		"a list":              {"clouds.yaml": "clouds: {hostile: {auth: hunter2}}"},
		"an alias":            {"clouds.yaml": "clouds: {hostile: {auth: {password: *hunter2}}}"},
		"a key twice":         {"clouds.yaml": "clouds: {hostile: {auth: {hunter2: 1, hunter2: 2}}}"},
		"a number":            {"clouds.yaml": "clouds: {hostile: {verify: hunter2}}"},
		"not YAML":            {"clouds.yaml": "clouds:\n\thostile: hunter2\n"},
		"secure.yaml":         {"clouds.yaml": good, "secure.yaml": "clouds: {hostile: {auth: hunter2}}"},
		"secure.yaml, broken": {"clouds.yaml": good, "secure.yaml": "clouds: {hostile: {auth: {password: *hunter2}}"},
		"override":            {"clouds.yaml": strings.Replace(good, "auth:", "compute_endpoint_override: 'https://me:hunter2@nova.internal', auth:", 1)},
		"override, broken":    {"clouds.yaml": strings.Replace(good, "auth:", "compute_endpoint_override: 'https://me:hunter2%zz', auth:", 1)},
		"no such host":        {"clouds.yaml": strings.Replace(good, h.URL, "http://keystone.invalid:5000", 1)},
		"nobody there":        {"clouds.yaml": strings.Replace(good, h.URL, "http://127.0.0.1:1", 1)},
		"no cacert":           {"clouds.yaml": strings.Replace(good, "auth:", "cacert: /run/secrets/ca-of-keystone.pem, auth:", 1)},
	} {
		write(t, "secure.yaml", "clouds: {}")
		for name, text := range files {
			write(t, name, text)
		}
		_, err := cloud.Open(t.Context(), cloud.Config{Cloud: "hostile"})
		if err == nil {
			t.Errorf("%s: opened", what)
			continue
		}
		if text := private.Text(err); strings.Contains(text, "hunter2") {
			t.Errorf("%s: logged %s", what, text)
		}
		for _, word := range []string{"keystone", "nova", "127.0.0.1", "://", "clouds.yaml", "secure.yaml", "hostile", "/run", "hunter2"} {
			if strings.Contains(err.Error(), word) {
				t.Errorf("%s: shown %s", what, err)
			}
		}
		if private.Text(err) == err.Error() {
			t.Errorf("%s: the log has no more than %s", what, err)
		}
	}
}

// Messages of services contain addresses. People outside need the cause, but must not see the
// addresses.
func TestAttackAddressesInWords(t *testing.T) {
	testcost.Long(t)
	var words string
	h := newHostile(t, false, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		say(w, `{"badRequest": {"message": "`+words+`"}}`)
	})
	c := h.open(t)
	for _, words = range []string{
		"Quota exceeded: http://keystone.internal:5000/v3 said so",
		"Quota exceeded: HTTPConnectionPool(host='keystone.internal', port=5000): Max retries exceeded",
		"Quota exceeded: connect to 10.0.0.3:5000 refused",
		"Quota exceeded: amqp://nova:carrot@rabbit.internal/ is away",
		"Quota exceeded on 127.0.0.1 by https://10.0.0.3/",
	} {
		_, err := listServers(t, c)
		if err == nil || !strings.Contains(err.Error(), "Quota exceeded") || !strings.Contains(private.Text(err), words) {
			t.Errorf("%q: shown %v, logged %s", words, err, private.Text(err))
		}
		for _, secret := range []string{"internal", "10.0.0.3", "127.0.0.1", "carrot"} {
			if strings.Contains(err.Error(), secret) {
				t.Errorf("%q: shown %v", words, err)
			}
		}
	}
	words = "down for maintenance, see https://status.example.org/today"
	if _, err := listServers(t, c); err == nil || !strings.Contains(err.Error(), words) {
		t.Errorf("shown %v, want %s", err, words)
	}
	h.Close()
	_, err := listServers(t, c)
	if err == nil || strings.Contains(err.Error(), "127.0.0.1") || !strings.Contains(private.Text(err), "127.0.0.1") {
		t.Errorf("shown %v, logged %s", err, private.Text(err))
	}
}

// The error for a token that cannot be renewed does not contain the address.
func TestAttackAddressAfterTheTokenEnded(t *testing.T) {
	h := newHostile(t, false, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) })
	c := h.open(t)
	for what, login := range map[string]http.HandlerFunc{
		"refused": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) },
		"moved": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://10.0.0.3:5000/v3", http.StatusTemporaryRedirect)
		},
		"renewed": nil,
	} {
		h.login = login
		_, err := listServers(t, c)
		if err == nil || strings.Contains(err.Error(), "10.0.0.3") || strings.Contains(err.Error(), "127.0.0.1") {
			t.Errorf("%s: shown %v", what, err)
		}
		if told := err != nil && strings.HasSuffix(err.Error(), "the cloud does not accept the agent's credentials; the agent's log has the details"); told != (what != "moved") {
			t.Errorf("%s: that the credentials are not accepted, is reported: %t; shown %v", what, told, err)
		}
	}
}
