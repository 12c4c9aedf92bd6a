package service

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/stackreeve/stackreeve/internal/agent"
	"github.com/stackreeve/stackreeve/internal/control"
	"github.com/stackreeve/stackreeve/internal/report"
)

// setUpControl sets up the handler for requests of people to the agent, if there is a token for it.
func (svc *service) setUpControl(f Options) error {
	svc.control = http.HandlerFunc(control.Off)
	switch {
	case f.ControlToken == "":
		return nil
	case f.Listen.Address == "":
		return errors.New("--control-token-file: there is no --listen, so no request can arrive; give it an address")
	}
	handler, err := control.New(control.Config{
		Tokens: func() ([]control.Token, error) { return control.Tokens(f.ControlToken) }, Stack: svc.actions, Log: svc.log,
	})
	if err != nil {
		return fmt.Errorf("--control-token-file: %w", err)
	}
	svc.control = handler
	return nil
}

// actions returns the actions that people can request for a stack.
func (svc *service) actions(name string) (control.Actions, bool) {
	_, ok := svc.roster.configured(name)
	return control.Actions{
		Now: func() {
			if s, here := svc.roster.servedAs(name); here {
				s.now.Hint()
			}
		},
		State: func() any { return svc.state(name) }, Elsewhere: func() error { return svc.servedByOther(name) },
		Approve: func(hash, by string) error {
			if s, here := svc.roster.servedAs(name); here {
				return s.loop.Approve(hash, by)
			}
			return svc.servedByOther(name)
		},
		Replace: func(hash string, targets []string, by string) error {
			s, here := svc.roster.servedAs(name)
			if !here {
				return svc.servedByOther(name)
			}
			r := agent.Request{Hash: hash, By: by}
			for _, text := range targets {
				t, err := report.ParseTarget(text)
				if err != nil {
					return err
				}
				r.Targets = append(r.Targets, t)
			}
			return s.loop.Replace(r)
		},
	}, ok
}

// state returns the state of a stack, no matter which agent serves it.
func (svc *service) state(stack string) agent.State {
	if s, ok := svc.roster.servedAs(stack); ok {
		return s.loop.State()
	}
	if svc.group != nil {
		return svc.group.state(stack)
	}
	return agent.State{Stack: stack}
}

// servedByOther returns an error if another agent serves a stack, or none; nil if this agent serves it.
func (svc *service) servedByOther(stack string) error {
	if _, ok := svc.roster.servedAs(stack); ok {
		return nil
	}
	if svc.group != nil {
		return svc.group.servedByOther(stack)
	}
	return fmt.Errorf("the stack %s is not served at the moment; ask again, or see the log", stack)
}
