package readapi

import (
	"net/url"
	"strings"
)

// Addresses returns the addresses at which browsers show a repository, or "" if they are unknown. The path of a file is appended to the
// address of a commit's files.
type Addresses interface {
	Files(commit string) string
	Commit(commit string) string
}

// Repository returns the address without the user and password, with the folder appended.
func Repository(address, folder string) string {
	if u, err := url.Parse(address); err == nil && u.User != nil && u.Host != "" {
		u.User = nil
		address = u.String()
	}
	if folder = strings.Trim(folder, "/"); folder == "" || folder == "." {
		return address
	}
	return address + " /" + folder
}

// addTo adds the known fields of [About] to a stack's status.
func (a About) addTo(status map[string]any, commit string) {
	for name, text := range map[string]string{"cloud": a.Cloud, "repository": a.Repository} {
		if text != "" {
			status[name] = text
		}
	}
	if len(a.Dashboards) > 0 {
		status["dashboards"] = a.Dashboards
	}
	if commit == "" || a.Addresses == nil {
		return
	}
	for name, address := range map[string]string{"files": a.Addresses.Files(commit), "commitAddress": a.Addresses.Commit(commit)} {
		if address != "" {
			status[name] = address
		}
	}
}
