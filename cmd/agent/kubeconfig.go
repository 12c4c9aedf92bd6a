package main

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"os"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	"github.com/stackreeve/stackreeve/internal/control"
	"github.com/stackreeve/stackreeve/internal/localfile"
)

const kubeconfigHelp = `Prints how kubectl reaches an agent that runs with --api-token-file, the token in it:

  stackreeve kubeconfig --server https://agent.example:9464 --api-token-file FILE > agent.kubeconfig
  kubectl --kubeconfig agent.kubeconfig get stacks -A

kubectl sends a token over TLS only: the server is the agent's own --listen with --listen-cert-file, or a proxy
before it.`

func (a *app) kubeconfig() *cobra.Command {
	var server, token, ca, stack string
	cmd := &cobra.Command{Use: "kubeconfig", Short: "Print how kubectl reaches an agent", Long: kubeconfigHelp, Args: exactly}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&server, "server", os.Getenv("STACKREEVE_SERVER"), "address of the agent, https://HOST:PORT ($STACKREEVE_SERVER)")
	flags.StringVar(&token, "api-token-file", os.Getenv("STACKREEVE_API_TOKEN_FILE"), "file whose first token the agent takes ($STACKREEVE_API_TOKEN_FILE)")
	flags.StringVar(&ca, "certificate-authority", "", "file with the certificate that signed the agent's (default: those that the machine trusts)")
	flags.StringVar(&stack, "stack", "", "stack that kubectl shows when none is named")
	cmd.RunE = func(*cobra.Command, []string) error {
		text, err := kubeconfig(server, token, ca, stack)
		if err != nil {
			return err
		}
		_, err = a.out.Write(text)
		return err
	}
	return cmd
}

func kubeconfig(server, tokenFile, caFile, stack string) ([]byte, error) {
	at, err := url.Parse(server)
	switch {
	case server == "" || tokenFile == "":
		return nil, errors.New("--server and --api-token-file are needed: where the agent listens, and a token that it takes")
	case err != nil || at.Host == "":
		return nil, fmt.Errorf("--server: %q is no address; write https://HOST:PORT", server)
	case at.Scheme != "https":
		return nil, errors.New("--server: kubectl sends a token over TLS only; write https://HOST:PORT, and give the agent --listen-cert-file, or a proxy that terminates TLS")
	}
	token, err := control.TokenOf(tokenFile)
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
