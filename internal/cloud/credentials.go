package cloud

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/config/clouds"
	"sigs.k8s.io/yaml"

	"github.com/stackreeve/stackreeve/internal/localfile"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile"
)

type credentials struct {
	name     string
	auth     gophercloud.AuthOptions
	endpoint gophercloud.EndpointOpts
	tls      *tls.Config
}

// readCredentials finds the clouds.yaml entry (and its secure.yaml) where
// OpenStack clients look for it, or takes the OS_* variables when no entry is
// named.
func readCredentials(name, file string) (credentials, error) {
	name = cmp.Or(name, os.Getenv("OS_CLOUD"))
	file = cmp.Or(file, os.Getenv("OS_CLIENT_CONFIG_FILE"))
	if name == "" {
		return environmentCredentials()
	}
	options, err := cloudsFiles(name, file)
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
	if auth.IdentityEndpoint == "" {
		place, _ := cloudsEntries(file)
		return credentials{}, fmt.Errorf("%s: entry %s has no auth.auth_url", cmp.Or(place, "clouds.yaml"), name)
	}
	if auth.ApplicationCredentialID != "" || auth.ApplicationCredentialName != "" {
		auth.Scope, auth.TenantID, auth.TenantName = nil, "", "" // an application credential brings its own
	}
	return credentials{name: name, auth: auth, endpoint: endpoint, tls: tlsConfig}, nil
}

// environmentCredentials takes the OS_* variables as openrc files set them.
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
		auth.DomainID, auth.DomainName = one(env("USER_DOMAIN_ID", "DOMAIN_ID"), env("USER_DOMAIN_NAME", "DOMAIN_NAME", "DEFAULT_DOMAIN"))
	}
	scope := gophercloud.AuthScope{ProjectID: env("PROJECT_ID", "TENANT_ID")}
	if scope.ProjectID == "" {
		scope.ProjectName = env("PROJECT_NAME", "TENANT_NAME")
		scope.DomainID, scope.DomainName = one(env("PROJECT_DOMAIN_ID", "DOMAIN_ID"), env("PROJECT_DOMAIN_NAME", "DOMAIN_NAME", "DEFAULT_DOMAIN"))
	}
	switch {
	case auth.ApplicationCredentialID+auth.ApplicationCredentialName != "": // brings its own
	case scope.ProjectID+scope.ProjectName == "":
		return credentials{}, errors.New("the OS_* variables name no project; set OS_PROJECT_NAME (and OS_PROJECT_DOMAIN_NAME) or OS_PROJECT_ID")
	default:
		auth.Scope = &scope
	}
	tlsConfig, err := environmentTLS()
	return credentials{name: "of the OS_* variables", auth: auth, tls: tlsConfig, endpoint: gophercloud.EndpointOpts{
		Region: env("REGION_NAME"), Availability: gophercloud.Availability(strings.TrimSuffix(env("INTERFACE", "ENDPOINT_TYPE"), "URL")),
	}}, err
}

// one keeps the ID of a domain, or else its name: Keystone wants one of them.
func one(id, name string) (string, string) {
	if id != "" {
		return id, ""
	}
	return "", name
}

// explainClouds says which entries there are when the one named is not among
// them.
func explainClouds(name, named string, err error) error {
	file, entries := cloudsEntries(named)
	switch {
	case file == "" && named != "":
		return fmt.Errorf("%s cannot be read ($OS_CLIENT_CONFIG_FILE names it); create it with an entry %s", named, name)
	case file == "":
		return fmt.Errorf("no clouds.yaml found (in $OS_CLIENT_CONFIG_FILE, the working directory, ~/.config/openstack, /etc/openstack); create one with an entry %s", name)
	case entries == nil || slices.Contains(entries, name):
		return fmt.Errorf("%s: entry %s: %w", file, name, err)
	}
	text := "it has " + strings.Join(entries, ", ")
	if near := manifest.Nearest(name, entries); near != "" {
		text = "did you mean " + near + "? " + text
	}
	return fmt.Errorf("%s has no entry %s; %s", file, name, text)
}

// cloudsEntries lists the entries of the clouds.yaml that clients would use.
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

// authError explains why Keystone did not let us in. It answers 401, or 404
// when it has forgotten an application credential.
// (keystone/auth/plugins/core.py: AppCredInfo)
func authError(c credentials, err error) error {
	var code gophercloud.ErrUnexpectedResponseCode
	where := c.auth.IdentityEndpoint
	if !errors.As(err, &code) {
		fix := "check auth_url, and the network between here and there"
		if errors.As(err, new(*tls.CertificateVerificationError)) {
			fix = "set cacert in the clouds.yaml entry (or $OS_CACERT) to the certificate of whom to trust"
		}
		return fmt.Errorf("cloud %s: authenticate at %s: %w; %s", c.name, where, Classify(err), fix)
	}
	switch text := serverMessage(code.Body); {
	case refusesCredentials(code):
		return fmt.Errorf("%w: cloud %s: %s refuses the credentials (%s); check user, password or application credential, project and domain names, and whether they have expired",
			reconcile.ErrRejected, c.name, where, text)
	case code.Actual < 500 && code.Actual != 429:
		return fmt.Errorf("%w: cloud %s: %s does not answer as Keystone does (%d %s); check auth_url, which usually ends in /v3",
			reconcile.ErrRejected, c.name, where, code.Actual, text)
	}
	return fmt.Errorf("cloud %s: authenticate at %s: %w", c.name, where, Classify(err))
}

func refusesCredentials(code gophercloud.ErrUnexpectedResponseCode) bool {
	return code.Actual == 401 || code.Actual == 403 || code.Actual == 404 && strings.HasPrefix(serverMessage(code.Body), "Could not find")
}
