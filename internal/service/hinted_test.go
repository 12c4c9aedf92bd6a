package service

import "testing"

// A message from a forge wakes the stacks that follow its repository, regardless of the form of their address.
func TestRepositoryOfAMessage(t *testing.T) {
	for _, c := range []struct {
		address, named string
		at             bool
	}{
		{"https://github.com/acme/config", "acme/config", true},
		{"https://github.com/acme/config.git", "Acme/Config", true},
		{"https://git.example.com/acme/infra/config.git/", "acme/infra/config", true},
		{"https://example.com/gitlab/acme/infra/config.git", "acme/infra/config", true},
		{"git@github.com:acme/config.git", "acme/config", true},
		{"ssh://git@example.com:2222/acme/infra/config.git", "acme/infra/config", true},
		{"https://github.com/acme/config", "acme/other", false},
		{"https://github.com/acme/config", "me/config", false},
		{"https://github.com/acme/config", "", false},
		{"/srv/git/acme/config", "acme/config", true},
		{"https://github.com", "acme/config", false},
	} {
		f := followedBranch{repositories: []string{pathOf(c.address)}}
		if f.isIn(c.named) != c.at {
			t.Errorf("%s, message of %s: %t", c.address, c.named, !c.at)
		}
	}
}
