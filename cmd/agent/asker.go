package main

import (
	"net"
	"os"

	"github.com/spf13/cobra"

	"github.com/stackreeve/stackreeve/internal/survey"
)

// askerFlags adds the flags for the agent to which questions about stacks are sent. The returned function reads them after parsing.
func askerFlags(cmd *cobra.Command) func() survey.Asker {
	k := &survey.Asker{}
	flags := cmd.Flags()
	flags.StringVar(&k.Server, "server", os.Getenv("STACKREEVE_SERVER"), "address of the agent that serves the stacks, to show its state of them ($STACKREEVE_SERVER; default the address of $STACKREEVE_LISTEN, or none)")
	flags.StringVar(&k.Token, "control-token-file", os.Getenv("STACKREEVE_CONTROL_TOKEN_FILE"), "file with a token that the agent accepts ($STACKREEVE_CONTROL_TOKEN_FILE; default: no request is sent to an agent)")
	flags.StringVar(&k.CA, "control-ca-file", os.Getenv("STACKREEVE_CONTROL_CA_FILE"), caUsage)
	for _, name := range []string{"server", "control-token-file", "control-ca-file"} {
		_ = flags.SetAnnotation(name, onlyShows, []string{"true"}) // the flag exists
	}
	return func() survey.Asker {
		if k.Server == "" && k.Token != "" {
			k.Server = listenerAddress()
		}
		return *k
	}
}

// listenerAddress returns the address at which an agent with this command's environment listens, or "".
func listenerAddress() string {
	host, port, err := net.SplitHostPort(os.Getenv("STACKREEVE_LISTEN"))
	if err != nil {
		return ""
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	scheme := "http://"
	if os.Getenv("STACKREEVE_LISTEN_CERT_FILE") != "" {
		scheme = "https://"
	}
	return scheme + net.JoinHostPort(host, port)
}
