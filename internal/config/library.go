package config

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/stackreeve/stackreeve/internal/pattern"
	"github.com/stackreeve/stackreeve/internal/source"
)

// Library is a folder of another repository, at one commit. The stack can use its Definitions.
type Library struct {
	Name   string `json:"name" rule:"required,max=63" doc:"Name of the library in messages: small letters, digits and dashes."`
	URL    string `json:"url" rule:"required,min=1" doc:"https, ssh, or a local path."`
	Commit string `json:"commit" rule:"required" doc:"The full hash of the commit. Only a change here makes the stack use another commit."`
	Path   string `json:"path,omitempty" doc:"Folder within the repository; its root if left out."`
	CAFile string `json:"caFile,omitempty" doc:"File with PEM certificates that are trusted besides the system's."`
	Auth   Auth   `json:"auth,omitempty" doc:"Files with the credentials for this repository; those of the stack's own repository are not used."`
}

// Repo returns the configuration of the library's source. dir and token are the same as those of [Stack.Repo].
func (l *Library) Repo(dir string, token func(context.Context) (string, error)) source.Config {
	return source.Config{URL: l.URL, Path: l.Path, CAFile: l.CAFile, Dir: dir, Auth: l.Auth.files(token)}
}

// Label returns the prefix for the names of the library's files: its name and the beginning of its commit.
func (l *Library) Label() string { return l.Name + "@" + l.Commit[:7] }

// Same returns the same text for all libraries with the same folder of the same commit that are fetched in the same
// way. Their names may differ.
func (l *Library) Same() string {
	nameless := *l
	nameless.Name = ""
	text, err := json.Marshal(nameless)
	if err != nil {
		panic(err) // cannot happen: the value contains only strings and numbers
	}
	return string(text)
}

var fullCommit = pattern.Of(`^[0-9a-f]{40}$`)

// checkLibraries checks the rules that concern several fields.
func (s *Source) checkLibraries(add func(field, what string)) {
	none := func(context.Context) (string, error) { return "", nil }
	names := map[string]bool{}
	for i := range s.Libraries {
		l := &s.Libraries[i]
		field := fmt.Sprintf("spec.source.libraries[%d].", i)
		switch {
		case !stackName.MatchString(l.Name):
			add(field+"name", fmt.Sprintf("%q cannot be a library's name; use lower case letters, digits and dashes, beginning and ending with a letter or digit", l.Name))
		case names[l.Name]:
			add(field+"name", fmt.Sprintf("%q is also the name of another library; rename one of the two", l.Name))
		}
		names[l.Name] = true
		if !fullCommit.MatchString(l.Commit) {
			add(field+"commit", fmt.Sprintf("%q is not a full commit; give the 40 digits that `git rev-parse` prints", l.Commit))
		}
		if app := l.Auth.GitHubApp; app != nil {
			checkAddress(add, field+"auth.githubApp.apiURL", app.APIURL)
		}
		if l.Auth.DockerConfigFile != "" {
			add(field+"auth.dockerConfigFile", "is for artifacts, and a library is a Git repository; remove it")
		}
		checkRepo(add, field, l.Repo("", none))
	}
}
