package main

import (
	"errors"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/service"
)

func (a *app) run() *cobra.Command {
	var f service.Options
	var once bool
	cmd := &cobra.Command{
		Use:     "run",
		Short:   "Keep clouds matching their repositories; with --once, one full pass",
		Args:    exactly,
		Example: "  stackreeve run --once\n  stackreeve run --once --stack prod --approve 3f2a…\n  stackreeve run --config stackreeve.yaml --listen 127.0.0.1:9464",
	}
	cmd.Flags().BoolVar(&once, "once", false, "one full pass over all stacks, then exit")
	cmd.Flags().StringVar(&f.Approve, "approve", "", "hash of a plan, as plan shows it: with --once exactly that plan is carried out or nothing; else it is let through when it is held")
	listenFlags(cmd.Flags(), &f.Listen)
	cmd.Flags().StringVar(&f.WebhookSecret, "webhook-secret-file", os.Getenv("STACKREEVE_WEBHOOK_SECRET_FILE"), "secret of the webhooks at /webhook/FORGE ($STACKREEVE_WEBHOOK_SECRET_FILE; default none are taken)")
	cmd.Flags().StringVar(&f.ControlToken, "control-token-file", os.Getenv("STACKREEVE_CONTROL_TOKEN_FILE"), "tokens of those who may ask for passes and approve plans at /stacks/ ($STACKREEVE_CONTROL_TOKEN_FILE; default: none)")
	cmd.Flags().StringVar(&f.APIToken, "api-token-file", os.Getenv("STACKREEVE_API_TOKEN_FILE"), "tokens of those who may read stacks and objects, with kubectl or in a browser ($STACKREEVE_API_TOKEN_FILE; default: none)")
	cmd.Flags().StringVar(&f.AgentName, "agent-name", os.Getenv("STACKREEVE_AGENT_NAME"), "name of this one of several agents ($STACKREEVE_AGENT_NAME; default: that of its machine)")
	cmd.Flags().StringVar(&f.AgentAddress, "agent-address", os.Getenv("STACKREEVE_AGENT_ADDRESS"), "where the others reach its listener, such as https://agent-1:9464 ($STACKREEVE_AGENT_ADDRESS; default: nowhere)")
	cmd.Flags().StringVar(&f.TracesURL, "traces-url", os.Getenv("STACKREEVE_TRACES_URL"), "receiver of OpenTelemetry traces of passes, such as https://collector:4318/v1/traces ($STACKREEVE_TRACES_URL; default what OTEL_EXPORTER_OTLP_ENDPOINT says, or none)")
	cmd.Flags().StringVar(&f.TracesHeaders, "traces-headers-file", os.Getenv("STACKREEVE_TRACES_HEADERS_FILE"), "headers for it, a line NAME=VALUE each ($STACKREEVE_TRACES_HEADERS_FILE; default what OTEL_EXPORTER_OTLP_HEADERS says, or none)")
	targets := a.targetFlag(cmd)
	load := a.stackFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		a.later = !once
		stacks, err := load()
		if err != nil {
			return err
		}
		if err := config.CheckMade(stacks).Err(); err != nil {
			return err
		}
		opener := a.opener()
		if opener.Targets, err = targets(stacks); err != nil {
			return err
		}
		if once {
			return a.once(cmd, opener, stacks, f.Approve)
		}
		if opener.Targets != nil {
			return errors.New("--target limits a single pass; give --once, too")
		}
		a.progress.Hush() // the log reports what the agent does
		f.Log = a.logger(true)
		return service.Run(cmd.Context(), opener, a.documents, f)
	}
	return cmd
}

// listenFlags adds the flags for the addresses at which the agent listens.
func listenFlags(flags *pflag.FlagSet, l *service.Listener) {
	flags.StringVar(&l.Address, "listen", os.Getenv("STACKREEVE_LISTEN"), "address for health, metrics and webhooks, such as 127.0.0.1:9464 ($STACKREEVE_LISTEN; default none)")
	flags.StringVar(&l.Health, "listen-health", os.Getenv("STACKREEVE_LISTEN_HEALTH"), "another address, for health and metrics only, with connections of its own: no flood of webhooks keeps probes waiting ($STACKREEVE_LISTEN_HEALTH; default none)")
	flags.StringVar(&l.Cert, "listen-cert-file", os.Getenv("STACKREEVE_LISTEN_CERT_FILE"), "certificate of the listener, with those that signed it; then it speaks TLS only ($STACKREEVE_LISTEN_CERT_FILE; default: HTTP)")
	flags.StringVar(&l.Key, "listen-key-file", os.Getenv("STACKREEVE_LISTEN_KEY_FILE"), "key of that certificate ($STACKREEVE_LISTEN_KEY_FILE)")
}
