package cloud

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/config/clouds"
	"sigs.k8s.io/yaml"

	"github.com/stackreeve/stackreeve/internal/localfile"
	"github.com/stackreeve/stackreeve/internal/nearest"
	"github.com/stackreeve/stackreeve/internal/pattern"
	"github.com/stackreeve/stackreeve/internal/private"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

type credentials struct {
	name     string
	auth     gophercloud.AuthOptions
	endpoint gophercloud.EndpointOpts
	tls      *tls.Config
	home     *url.URL // auth_url
	// overrides are addresses of services that replace the catalog's, by their name in clouds.yaml.
	overrides map[string]*url.URL
}

// secrets are the values that nobody else may see.
func (c credentials) secrets() []string {
	return []string{c.auth.Password, c.auth.ApplicationCredentialSecret, c.auth.TokenID, c.auth.Passcode}
}

// readCredentials reads the entry of clouds.yaml (and its secure.yaml) from the places where
// OpenStack clients look. If no entry is named it uses the OS_* variables.
func readCredentials(name, file string) (credentials, error) {
	name = cmp.Or(name, os.Getenv("OS_CLOUD"))
	file = cmp.Or(file, os.Getenv("OS_CLIENT_CONFIG_FILE"))
	if name == "" {
		return environmentCredentials()
	}
	options, vendor, err := cloudsFiles(name, file)
	switch {
	case errors.Is(err, errNoClouds):
		return credentials{}, explainClouds(name, file, err)
	case err != nil:
		return credentials{}, err
	}
	auth, endpoint, tlsConfig, err := clouds.Parse(options...)
	if err != nil {
		return credentials{}, explainClouds(name, file, err)
	}
	place, _ := cloudsEntries(file)
	at := fmt.Sprintf("%s: entry %s", cmp.Or(place, "clouds.yaml"), name)
	switch {
	case auth.IdentityEndpoint == "" && vendor != "":
		return credentials{}, fmt.Errorf("%s has no auth.auth_url, and its profile %s is not in clouds-public.yaml: the agent does not read the profiles that come with the openstack client; write auth.auth_url into the entry", at, vendor)
	case auth.IdentityEndpoint == "":
		return credentials{}, fmt.Errorf("%s has no auth.auth_url", at)
	}
	home, err := parseAuthURL(auth.IdentityEndpoint)
	if err != nil {
		return credentials{}, fmt.Errorf("%s: %w", at, err)
	}
	overrides, err := readOverrides(place, name)
	if err != nil {
		return credentials{}, fmt.Errorf("%s: %w", at, err)
	}
	if auth.ApplicationCredentialID != "" || auth.ApplicationCredentialName != "" {
		auth.Scope, auth.TenantID, auth.TenantName = nil, "", "" // an application credential has its own scope
	}
	return credentials{name: name, auth: auth, endpoint: endpoint, tls: tlsConfig, home: home, overrides: overrides}, nil
}

// environmentCredentials reads the OS_* variables as openrc files set them.
// (keystoneauth1/loading/opts.py; python-openstackclient)
func environmentCredentials() (credentials, error) {
	env := func(names ...string) string {
		for _, name := range names {
			if value := os.Getenv("OS_" + name); value != "" {
				return value
			}
		}
		return ""
	}
	auth := gophercloud.AuthOptions{
		IdentityEndpoint: env("AUTH_URL"), Username: env("USERNAME"), UserID: env("USER_ID"), Password: env("PASSWORD"), TokenID: env("TOKEN"),
		ApplicationCredentialID: env("APPLICATION_CREDENTIAL_ID"), ApplicationCredentialName: env("APPLICATION_CREDENTIAL_NAME"),
		ApplicationCredentialSecret: env("APPLICATION_CREDENTIAL_SECRET"),
	}
	if auth.IdentityEndpoint == "" {
		return credentials{}, errors.New("no cloud is named: set spec.cloud (or --cloud, or $OS_CLOUD) to an entry of clouds.yaml, or set the OS_* variables")
	}
	if auth.UserID == "" && auth.ApplicationCredentialID == "" {
		auth.DomainID, auth.DomainName = idOrName(env("USER_DOMAIN_ID", "DOMAIN_ID"), env("USER_DOMAIN_NAME", "DOMAIN_NAME", "DEFAULT_DOMAIN"))
	}
	scope := gophercloud.AuthScope{ProjectID: env("PROJECT_ID", "TENANT_ID")}
	if scope.ProjectID == "" {
		scope.ProjectName = env("PROJECT_NAME", "TENANT_NAME")
		scope.DomainID, scope.DomainName = idOrName(env("PROJECT_DOMAIN_ID", "DOMAIN_ID"), env("PROJECT_DOMAIN_NAME", "DOMAIN_NAME", "DEFAULT_DOMAIN"))
	}
	switch {
	case auth.ApplicationCredentialID+auth.ApplicationCredentialName != "": // an application credential has its own scope
	case scope.ProjectID+scope.ProjectName == "":
		return credentials{}, errors.New("the OS_* variables name no project; set OS_PROJECT_NAME (and OS_PROJECT_DOMAIN_NAME) or OS_PROJECT_ID")
	default:
		auth.Scope = &scope
	}
	home, err := parseAuthURL(auth.IdentityEndpoint)
	if err != nil {
		return credentials{}, fmt.Errorf("OS_AUTH_URL: %w", err)
	}
	tlsConfig, err := environmentTLS()
	return credentials{name: "of the OS_* variables", auth: auth, tls: tlsConfig, home: home, endpoint: gophercloud.EndpointOpts{
		Region: env("REGION_NAME"), Availability: gophercloud.Availability(strings.TrimSuffix(env("INTERFACE", "ENDPOINT_TYPE"), "URL")),
	}}, err
}

// idOrName returns only the ID of a domain, or only its name if the ID is "". Keystone accepts only one
// of them.
func idOrName(id, name string) (string, string) {
	if id != "" {
		return id, ""
	}
	return "", name
}

// explainClouds explains why an entry cannot be read. If the entry does not exist, the error lists
// the entries that exist.
func explainClouds(name, named string, err error) error {
	file, entries := cloudsEntries(named)
	switch {
	case file == "" && named != "":
		return fmt.Errorf("%s cannot be read ($OS_CLIENT_CONFIG_FILE names it); create it with an entry %s", named, name)
	case file == "":
		return fmt.Errorf("no clouds.yaml found (in $OS_CLIENT_CONFIG_FILE, the working directory, ~/.config/openstack, /etc/openstack); create one with an entry %s", name)
	case entries == nil || slices.Contains(entries, name):
		return fmt.Errorf("%s: entry %s: %w", file, name, withoutValues(err))
	}
	text := "it has " + strings.Join(entries, ", ")
	if near := nearest.Name(name, entries); near != "" {
		text = "did you mean " + near + "? " + text
	}
	return fmt.Errorf("%s has no entry %s; %s", file, name, text)
}

// cloudsEntries lists the entries of the clouds.yaml that OpenStack clients would use.
func cloudsEntries(named string) (file string, entries []string) {
	for _, place := range cloudsPlaces("clouds.yaml", named) {
		text, err := localfile.Read(place, localfile.Config)
		if err != nil {
			continue
		}
		var content struct {
			Clouds map[string]any `json:"clouds"`
		}
		if yaml.Unmarshal(text, &content) != nil {
			return place, nil
		}
		for entry := range content.Clouds {
			entries = append(entries, entry)
		}
		slices.Sort(entries)
		return place, entries
	}
	return "", nil
}

// withoutValues returns the error of a YAML parser without the text that it quotes from the file,
// because that text may be a password.
func withoutValues(err error) error {
	text := err.Error()
	if !strings.Contains(text, "yaml: ") {
		return err
	}
	file := "the file"
	if strings.Contains(text, "secure.yaml") {
		file = "secure.yaml beside it"
	}
	if at := lineOf.Regexp().FindString(text); at != "" {
		return fmt.Errorf("%s is not valid YAML, or holds a value of the wrong type; see its %s", file, at)
	}
	return fmt.Errorf("%s is not valid YAML, or holds a value of the wrong type", file)
}

var lineOf = pattern.Of(`line \d+`)

// readOverrides reads the addresses of services from an entry of clouds.yaml.
func readOverrides(file, name string) (map[string]*url.URL, error) {
	var content struct {
		Clouds map[string]map[string]any `json:"clouds"`
	}
	text, err := localfile.Read(file, localfile.Config)
	if err == nil {
		text, _, err = asClients(text, name)
	}
	if err != nil || yaml.Unmarshal(text, &content) != nil {
		return nil, nil // no error, because the entry itself has already been read
	}
	overrides := map[string]*url.URL{}
	for key, value := range content.Clouds[name] {
		if !strings.HasSuffix(key, overrideOf("")) || value == nil {
			continue
		}
		u, err := url.Parse(strings.ReplaceAll(fmt.Sprint(value), "%(", "$(")) // % is an escape in URLs
		if err != nil || u.Host == "" || u.User != nil || u.Scheme != "http" && u.Scheme != "https" {
			return nil, fmt.Errorf("%s is not an http or https URL without a login; write it as https://host/path", key)
		}
		overrides[key] = u
	}
	return overrides, nil
}

// unusable is an error of the configuration. People other than the operator see only that there is
// an error.
func unusable(err error) error {
	return private.Hidef("the agent's configuration of its cloud cannot be used; the agent's log has the details", "%w: %w", kind.ErrRejected, err)
}

// Messages for people other than the operator, when the agent cannot log in.
const (
	lockedOut   = "the cloud does not accept the agent's credentials; the agent's log has the details"
	unreachable = "the cloud cannot be reached; the agent's log has the details"
)

// authError explains why Keystone refused the login. Keystone answers 401, or 404 if it no longer
// knows an application credential. (keystone/auth/plugins/core.py: AppCredInfo)
func authError(c credentials, err error) error {
	var code gophercloud.ErrUnexpectedResponseCode
	where := c.auth.IdentityEndpoint
	if !errors.As(err, &code) {
		fix := "check auth_url, and the network between this machine and that address"
		if strings.Contains(err.Error(), "You must provide") { // gophercloud's message before it sends any request
			fix = "complete the entry in clouds.yaml: username needs user_domain_name, project_name needs project_domain_name, and an application credential its secret"
		}
		if errors.As(err, new(*tls.CertificateVerificationError)) {
			fix = "set cacert in the clouds.yaml entry (or $OS_CACERT) to the certificate of the authority to trust"
		}
		return private.Hidef(unreachable, "cloud %s: authenticate at %s: %w; %s", c.name, where, classify(err, identity(), withheld), fix)
	}
	switch text := withheld(code.Body); {
	case refusesCredentials(code):
		return private.Hidef(lockedOut, "%w: cloud %s: %s refuses the credentials (%s); check user, password or application credential, project and domain names, and whether they have expired",
			kind.ErrRejected, c.name, where, text)
	case code.Actual < 500 && code.Actual != 429:
		return private.Hidef(unreachable, "%w: cloud %s: %s does not answer as Keystone does (%d %s); check auth_url, which usually ends in /v3",
			kind.ErrRejected, c.name, where, code.Actual, text)
	}
	return private.Hidef(unreachable, "cloud %s: authenticate at %s: %w", c.name, where, classify(err, identity(), withheld))
}

func refusesCredentials(code gophercloud.ErrUnexpectedResponseCode) bool {
	return code.Actual == 401 || code.Actual == 403 || code.Actual == 404 && strings.HasPrefix(serverMessage(code.Body), "Could not find")
}
