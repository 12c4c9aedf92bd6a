package service

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/control"
	"github.com/stackreeve/stackreeve/internal/describe"
	"github.com/stackreeve/stackreeve/internal/page"
	"github.com/stackreeve/stackreeve/internal/readapi"
	"github.com/stackreeve/stackreeve/internal/session"
	"github.com/stackreeve/stackreeve/internal/source"
)

// setUpReadAPI sets up the read API and the pages for browsers, if there is a token for them.
func (svc *service) setUpReadAPI(f Options) error {
	switch {
	case f.APIToken == "":
		return nil
	case f.Listen.Address == "":
		return errors.New("--api-token-file: there is no --listen, so no request can arrive; give it an address")
	}
	store := readapi.NewStore(nil, all.Kinds(nil, defaults.Defaults{}), time.Now())
	if svc.opener.DataDir != "" {
		store.Keeps = readapi.NewHistory(filepath.Join(svc.opener.DataDir, "events"), time.Now(), svc.log)
	}
	tokens := func() ([]control.Token, error) { return control.Tokens(f.APIToken) }
	refuse := func(w http.ResponseWriter, code int) { readapi.Refuse(w, code, http.StatusText(code)) }
	read := readapi.New(store, readSchemas, svc.opener.Version)
	read.Admits, read.Who = control.Counts, control.Holder
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

// about returns the facts about a stack that are shown besides its runs.
func (svc *service) about(stack *config.Stack) readapi.About {
	s := &stack.Spec
	which := sha256.Sum256([]byte(strings.Join([]string{s.Source.URL, s.Source.Branch, s.Source.Path, s.Cloud}, "\x00")))
	return readapi.About{
		Addresses: session.Browser(stack), History: stack.Name + "-" + hex.EncodeToString(which[:8]),
		Cloud: s.Cloud, Repository: readapi.Repository(s.Source.URL, s.Source.Path), Dashboards: s.Report.Dashboards,
	}
}

// readSchemas returns the schemas of the kinds that the agent knows.
func readSchemas() (list []readapi.Schema, err error) {
	for _, d := range describe.All() {
		doc, err := d.Schema()
		if err != nil {
			return nil, err
		}
		list = append(list, readapi.Schema{GVK: d.GVK, Doc: doc})
	}
	return list, nil
}

// lastChangeOf returns a function that finds the last change of a file in a stack's newest revision.
func lastChangeOf(repo *source.Repo) func(ctx context.Context, file string) (readapi.LastChange, error) {
	return func(ctx context.Context, file string) (readapi.LastChange, error) {
		rev, ok := repo.Last()
		if !ok {
			return readapi.LastChange{}, errors.New("no revision is known yet")
		}
		name := rev.InRepository(file)
		found, err := repo.LastChanges(ctx, rev.Commit, []string{name})
		t, ok := found[name]
		if err != nil || !ok {
			return readapi.LastChange{}, err
		}
		return readapi.LastChange{Author: t.Author, Commit: t.Commit, Subject: t.Subject, Time: t.Time.UTC().Format(time.RFC3339)}, nil
	}
}
