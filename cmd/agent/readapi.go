package main

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/control"
	"github.com/stackreeve/stackreeve/internal/page"
	"github.com/stackreeve/stackreeve/internal/readapi"
)

// show makes what kubectl and browsers can read of the agent, if there is a token for it.
func (svc *service) show(stacks []config.Stack, f runFlags) error {
	switch {
	case f.apiToken == "":
		return nil
	case f.door.address == "":
		return errors.New("--api-token-file: there is no --listen, so no request can arrive; give it an address")
	}
	store := shownOf(stacks)
	tokens := func() ([]control.Token, error) { return control.Tokens(f.apiToken) }
	refuse := func(w http.ResponseWriter, code int) { readapi.Refuse(w, code, http.StatusText(code)) }
	read := readapi.New(store, readSchemas, version())
	read.Admits = control.Counts
	api, err := control.Guard(tokens, svc.log, read, refuse)
	if err != nil {
		return fmt.Errorf("--api-token-file: %w", err)
	}
	holders, err := control.NewHolders(tokens, svc.log)
	if err != nil {
		return fmt.Errorf("--api-token-file: %w", err)
	}
	ui, err := page.New(page.Config{Holders: holders, Store: store, Read: read, Log: svc.log, Now: time.Now})
	if err != nil {
		return err
	}
	svc.shown, svc.api, svc.ui = store, api, ui
	return nil
}

// shownOf holds what can be read of stacks.
func shownOf(stacks []config.Stack) *readapi.Store {
	var names []string
	for i := range stacks {
		names = append(names, stacks[i].Name)
	}
	store := readapi.NewStore(names, all.Kinds(nil, defaults.Defaults{}), time.Now())
	for i := range stacks {
		s, forge := &stacks[i].Spec, ""
		switch {
		case s.Report.Gitea != nil:
			forge = "gitea"
		case s.Report.GitHub != nil:
			forge = "github"
		}
		store.Link(stacks[i].Name, readapi.Files(s.Source.URL, forge))
	}
	return store
}

// readSchemas are those of the kinds that the agent knows.
func readSchemas() (list []readapi.Schema, err error) {
	for _, d := range describedKinds() {
		doc, err := d.schema()
		if err != nil {
			return nil, err
		}
		list = append(list, readapi.Schema{GVK: d.gvk, Doc: doc})
	}
	return list, nil
}
