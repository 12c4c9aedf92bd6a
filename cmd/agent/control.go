package main

import (
	"errors"
	"fmt"
	"net"
	"os"

	"github.com/spf13/cobra"

	"github.com/stackreeve/stackreeve/internal/control"
	"github.com/stackreeve/stackreeve/internal/survey"
)

// asking adds to a command the flags for connecting to a running agent. The command then calls ask with a client of that agent.
func (a *app) asking(cmd *cobra.Command, ask func(c *control.Client, args []string) error) *cobra.Command {
	var server, token, ca string
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&server, "server", envOr("STACKREEVE_SERVER", "http://127.0.0.1:9464"), "address of the agent ($STACKREEVE_SERVER)")
	flags.StringVar(&token, "control-token-file", os.Getenv("STACKREEVE_CONTROL_TOKEN_FILE"), "file with a token that the agent accepts ($STACKREEVE_CONTROL_TOKEN_FILE)")
	flags.StringVar(&ca, "control-ca-file", os.Getenv("STACKREEVE_CONTROL_CA_FILE"), caUsage)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if token == "" {
			return errors.New("--control-token-file is missing: it names a file with a token from the agent's own --control-token-file")
		}
		client, err := control.NewClient(server, token, ca)
		if err != nil {
			return err
		}
		return ask(client, args)
	}
	return cmd
}

// caUsage is the usage of the flag that makes a command trust an agent whose certificate no public authority has signed.
const caUsage = "file with the certificate of the authority that signed the agent's, in PEM ($STACKREEVE_CONTROL_CA_FILE; default: the system's authorities)"

func envOr(name, value string) string {
	if text := os.Getenv(name); text != "" {
		return text
	}
	return value
}

// approve returns the command that approves a held plan.
func (a *app) approve() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "approve STACK HASH",
		Short: "Approve a plan that a running agent holds",
		Long: `Allows the plan with this hash, which a running agent holds, and makes the agent reconcile immediately.

The log of the agent, the status of the commit and GET /stacks/STACK show the hash. The approval ends when the plan
changes and when the plan was carried out. It also ends with the process, unless the agent has --data-dir.`,
		Args: exactly, ValidArgsFunction: a.completeStacks,
	}
	return a.asking(cmd, func(c *control.Client, args []string) error {
		if err := c.Approve(cmd.Context(), args[0], args[1]); err != nil {
			return err
		}
		fmt.Fprintf(a.out, "approved: the agent carries the plan out now, unless the plan has changed\n")
		return nil
	})
}

// reconcile returns the command that makes an agent reconcile immediately.
func (a *app) reconcile() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "reconcile STACK",
		Short: "Make a running agent reconcile a stack now",
		Long:  "Makes a running agent reconcile a stack now: a pass in progress ends early, and so does a pause after failures.",
		Args:  exactly, ValidArgsFunction: a.completeStacks,
	}
	return a.asking(cmd, func(c *control.Client, args []string) error {
		if err := c.Reconcile(cmd.Context(), args[0]); err != nil {
			return err
		}
		fmt.Fprintf(a.out, "requested: the agent reconciles now\n")
		return nil
	})
}

const kubeconfigHelp = `Prints a kubeconfig for an agent that runs with --api-token-file. The output contains the token:

  stackreeve kubeconfig --server https://agent.example:9464 --api-token-file FILE > agent.kubeconfig
  kubectl --kubeconfig agent.kubeconfig get stacks -A

kubectl sends a token over TLS only: the server is the agent's own --listen with --listen-cert-file, or a proxy
before it.`

func (a *app) kubeconfig() *cobra.Command {
	var server, token, ca, stack string
	cmd := &cobra.Command{Use: "kubeconfig", Short: "Print a kubeconfig for an agent", Long: kubeconfigHelp, Args: exactly}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&server, "server", os.Getenv("STACKREEVE_SERVER"), "address of the agent, https://HOST:PORT ($STACKREEVE_SERVER)")
	flags.StringVar(&token, "api-token-file", os.Getenv("STACKREEVE_API_TOKEN_FILE"), "file with tokens; the agent must accept the first one ($STACKREEVE_API_TOKEN_FILE)")
	flags.StringVar(&ca, "certificate-authority", "", "file with the certificate that signed the agent's (default: those that the machine trusts)")
	flags.StringVar(&stack, "stack", "", "stack that kubectl shows when none is named")
	cmd.RunE = func(*cobra.Command, []string) error {
		text, err := control.Kubeconfig(server, token, ca, stack)
		if err != nil {
			return err
		}
		_, err = a.out.Write(text)
		return err
	}
	return cmd
}

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
