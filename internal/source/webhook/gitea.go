package webhook

import "net/http"

// gitea is also for Forgejo. It sends GitHub's messages, and has the signature of the body in a header of its own: the
// HMAC-SHA256 in hex.
var gitea = sender{
	forge: Gitea, names: []string{"X-Forgejo-Event", "X-Gitea-Event", "X-GitHub-Event"}, headers: []string{"X-Gitea-", "X-Forgejo-", "X-Github-", "X-Hub-"},
	greeting: "ping", kinds: githubKinds,
	claim: func(r *http.Request) claim {
		for _, name := range []string{"X-Forgejo-Signature", "X-Gitea-Signature"} {
			if text := only(r.Header, name, mostHeader); text != "" {
				return hexSignature(text)
			}
		}
		return github.claim(r)
	},
	read: readGitHub,
}
