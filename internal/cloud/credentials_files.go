package cloud

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/gophercloud/gophercloud/v2/openstack/config/clouds"
	"go.yaml.in/yaml/v3"

	"github.com/stackreeve/stackreeve/internal/localfile"
)

// cloudsPlaces are the places where OpenStack clients look for a file, in order. named, if not empty, is the only place.
func cloudsPlaces(file, named string) []string {
	if named != "" {
		return []string{named}
	}
	places := []string{file}
	config := os.Getenv("XDG_CONFIG_HOME")
	if home, err := os.UserHomeDir(); config == "" && err == nil {
		config = filepath.Join(home, ".config")
	}
	if config != "" {
		places = append(places, filepath.Join(config, "openstack", file))
	}
	return append(places, filepath.Join("/etc/openstack", file))
}

// CredentialFiles are the clouds.yaml that clients read, and the secure.yaml beside it; nil if there is no clouds.yaml.
func CredentialFiles() []string {
	for _, place := range cloudsPlaces("clouds.yaml", os.Getenv("OS_CLIENT_CONFIG_FILE")) {
		if _, err := os.Stat(place); err == nil { // the file may be a pipe, which is read only once
			return []string{place, filepath.Join(filepath.Dir(place), "secure.yaml")}
		}
	}
	return nil
}

// errNoClouds says that no place has a clouds.yaml that can be read.
var errNoClouds = errors.New("no clouds.yaml")

// cloudsFiles reads clouds.yaml, the secure.yaml beside it and clouds-public.yaml. vendor is the name of the entry's profile if no file
// contains that profile. Clients first look in the working directory, which may be a checkout of a foreign repository. A clouds.yaml in
// it could contain an address to which the agent would send the credentials.
func cloudsFiles(name, named string) (options []clouds.ParseOption, vendor string, err error) {
	publicPlace, publicText, err := firstFile("clouds-public.yaml", "")
	if err != nil {
		return nil, "", err
	}
	place, text, err := firstFile("clouds.yaml", named)
	switch {
	case err != nil:
		return nil, "", err
	case place == "":
		return nil, "", errNoClouds
	}
	text, vendor, err = asClients(text, name)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", place, err)
	}
	if slices.Contains(publicClouds(publicText), vendor) {
		vendor = ""
	}
	options = append(options, clouds.WithCloudName(name), clouds.WithCloudsYAML(bytes.NewReader(text)))
	secure, err := localfile.Read(filepath.Join(filepath.Dir(place), "secure.yaml"), localfile.Config)
	switch {
	case refused(err):
		return nil, "", err
	case err == nil:
		if secure, _, err = asClients(secure, name); err != nil {
			return nil, "", fmt.Errorf("secure.yaml: %w", err)
		}
		options = append(options, clouds.WithSecureYAML(bytes.NewReader(secure)))
	}
	if publicPlace == "" {
		publicText = []byte("public-clouds: {}") // gophercloud would look for the file itself, and fail without it
	}
	return append(options, clouds.WithCloudsPublicYAML(bytes.NewReader(publicText))), vendor, nil
}

// publicClouds are the names in a clouds-public.yaml.
func publicClouds(text []byte) []string {
	var content struct {
		Clouds map[string]any `yaml:"public-clouds"`
	}
	if yaml.Unmarshal(text, &content) != nil {
		return nil
	}
	return slices.Collect(maps.Keys(content.Clouds))
}

// firstFile reads the file from the first place where it exists; place is "" if it exists nowhere. If named is "", a file in the
// working directory must not belong to a stranger.
func firstFile(file, named string) (place string, text []byte, err error) {
	for _, place := range cloudsPlaces(file, named) {
		if named == "" && place == file {
			if err := trusted(place); err != nil {
				return "", nil, err
			}
		}
		read := localfile.Read
		if named != "" {
			read = localfile.ReadNamed
		}
		text, err := read(place, localfile.Config)
		switch {
		case err == nil:
			return place, text, nil
		case refused(err):
			return "", nil, err
		}
	}
	return "", nil, nil
}

// refused reports whether an error says that a file exists and must not be read.
func refused(err error) bool {
	var failed *fs.PathError
	return errors.As(err, &failed) && failed.Op == "read"
}

// trusted returns an error if a stranger may have written a file in the working directory.
func trusted(file string) error {
	if _, err := os.Lstat(file); err != nil {
		return nil // there is no file, or none that can be read
	}
	why := localfile.Foreign(file)
	switch {
	case why == "":
		return nil
	case file == "clouds.yaml":
		return fmt.Errorf("clouds.yaml in the working directory is not read: %s; if the file is yours, set OS_CLIENT_CONFIG_FILE=clouds.yaml; if it is not, start from another folder", why)
	}
	return fmt.Errorf("%s in the working directory is not read: %s; start from another folder", file, why)
}

// CheckEntry checks an entry of clouds.yaml, or the OS_* variables if name is "", without a request to the cloud. It returns nil if
// this machine has no clouds.yaml at all.
func CheckEntry(name string) error {
	if file, _ := cloudsEntries(os.Getenv("OS_CLIENT_CONFIG_FILE")); file == "" {
		return nil
	}
	_, err := readCredentials(name, "")
	return err
}
