package cloud

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/config/clouds"
	"sigs.k8s.io/yaml"

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
	options := []clouds.ParseOption{clouds.WithCloudName(name)}
	if file != "" {
		options = append(options, clouds.WithLocations(file))
	}
	auth, endpoint, tlsConfig, err := clouds.Parse(options...)
	if err != nil {
		return credentials{}, explainClouds(name, file, err)
	}
	if auth.IdentityEndpoint == "" {
		return credentials{}, fmt.Errorf("clouds.yaml: entry %s has no auth.auth_url", name)
	}
	if auth.ApplicationCredentialID != "" || auth.ApplicationCredentialName != "" {
		auth.Scope = nil // an application credential brings its own
	}
	return credentials{name: name, auth: auth, endpoint: endpoint, tls: tlsConfig}, nil
}

func environmentCredentials() (credentials, error) {
	if os.Getenv("OS_AUTH_URL") == "" {
		return credentials{}, errors.New("no cloud is named: set spec.cloud (or --cloud, or $OS_CLOUD) to an entry of clouds.yaml, or set the OS_* variables")
	}
	auth, err := openstack.AuthOptionsFromEnv()
	if err != nil {
		return credentials{}, fmt.Errorf("OS_* variables: %w", err)
	}
	tlsConfig, err := environmentTLS()
	return credentials{name: "of the OS_* variables", auth: auth, tls: tlsConfig, endpoint: gophercloud.EndpointOpts{
		Region: os.Getenv("OS_REGION_NAME"), Availability: gophercloud.Availability(strings.TrimSuffix(os.Getenv("OS_INTERFACE"), "URL")),
	}}, err
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
	places := []string{"clouds.yaml"}
	if dir, err := os.UserConfigDir(); err == nil {
		places = append(places, filepath.Join(dir, "openstack", "clouds.yaml"))
	}
	places = append(places, "/etc/openstack/clouds.yaml")
	if named != "" {
		places = []string{named}
	}
	for _, place := range places {
		text, err := os.ReadFile(place)
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

// authError explains why Keystone did not let us in.
func authError(c credentials, err error) error {
	var code gophercloud.ErrUnexpectedResponseCode
	if errors.As(err, &code) && code.Actual == 401 {
		return fmt.Errorf("%w: cloud %s: %s refuses the credentials (%s); check user, password or application credential, project and domain names, and whether they have expired",
			reconcile.ErrRejected, c.name, c.auth.IdentityEndpoint, serverMessage(code.Body))
	}
	return fmt.Errorf("cloud %s: authenticate at %s: %w", c.name, c.auth.IdentityEndpoint, Classify(err))
}
