package artifact

import (
	"cmp"
	"context"

	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/credentials"

	"github.com/stackreeve/stackreeve/internal/source"
	"github.com/stackreeve/stackreeve/internal/source/failure"
)

// login reads the credentials.
type login struct {
	auth Auth
	at   place
}

// of returns the credentials for a registry. Other hosts get none.
func (l *login) of(ctx context.Context, host string) (auth.Credential, error) {
	if host != l.at.host {
		return auth.EmptyCredential, nil
	}
	if l.auth.DockerConfigFile == "" {
		user, password, err := l.basic()
		return auth.Credential{Username: user, Password: password}, err
	}
	text, err := source.ReadSecret("dockerConfigFile", l.auth.DockerConfigFile)
	if err != nil {
		return auth.EmptyCredential, err
	}
	store, err := credentials.NewMemoryStoreFromDockerConfig([]byte(text))
	if err != nil {
		return auth.EmptyCredential, failure.New(failure.ErrCredentials, "auth.dockerConfigFile: %s is not a configuration of Docker; write it with `docker login`", l.auth.DockerConfigFile)
	}
	if host == dockerHub {
		host = dockerHubEntry
	}
	found, err := store.Get(ctx, host)
	if err == nil && found == auth.EmptyCredential {
		err = failure.New(failure.ErrCredentials, "auth.dockerConfigFile: %s has no login for %s in auths, and programs that store logins are not run; write it with `docker login` without a credential store", l.auth.DockerConfigFile, host)
	}
	return found, err
}

// Docker writes the login for its own registry under another name.
const (
	dockerHub      = "registry-1.docker.io"
	dockerHubEntry = "index.docker.io"
)

// basic returns the user and password of a login. Both are empty if there is no login.
func (l *login) basic() (user, password string, err error) {
	return source.ReadLogin(cmp.Or(l.auth.Username, "token"), l.auth.TokenFile, l.auth.BasicAuthFile)
}
