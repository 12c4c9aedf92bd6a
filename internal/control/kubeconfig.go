package control

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"

	"sigs.k8s.io/yaml"

	"github.com/stackreeve/stackreeve/internal/localfile"
)

// Kubeconfig returns a kubeconfig for an agent that listens at server, with the first token of a file. caFile is the
// certificate of the authority that signed the agent's certificate, or "". stack is the default namespace.
func Kubeconfig(server, tokenFile, caFile, stack string) ([]byte, error) {
	at, err := url.Parse(server)
	switch {
	case server == "" || tokenFile == "":
		return nil, errors.New("--server and --api-token-file are needed: the address of the agent, and a token that the agent accepts")
	case err != nil || at.Host == "":
		return nil, fmt.Errorf("--server: %q is no address; write https://HOST:PORT", server)
	case at.Scheme != "https":
		return nil, errors.New("--server: kubectl sends a token over TLS only; write https://HOST:PORT, and start the agent with --listen-cert-file, or behind a proxy that terminates TLS")
	}
	token, err := TokenOf(tokenFile)
	if err != nil {
		return nil, fmt.Errorf("--api-token-file: %w", err)
	}
	cluster := map[string]any{"server": server}
	if caFile != "" {
		ca, err := localfile.Read(caFile, 1<<20)
		if err != nil {
			return nil, fmt.Errorf("--certificate-authority: %w", err)
		}
		cluster["certificate-authority-data"] = base64.StdEncoding.EncodeToString(ca)
	}
	context := map[string]any{"cluster": "stackreeve", "user": "stackreeve"}
	if stack != "" {
		context["namespace"] = stack
	}
	return yaml.Marshal(map[string]any{
		"apiVersion": "v1", "kind": "Config", "current-context": "stackreeve",
		"clusters": []any{map[string]any{"name": "stackreeve", "cluster": cluster}},
		"users":    []any{map[string]any{"name": "stackreeve", "user": map[string]any{"token": token}}},
		"contexts": []any{map[string]any{"name": "stackreeve", "context": context}},
	})
}
