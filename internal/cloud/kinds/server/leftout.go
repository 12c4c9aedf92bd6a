package server

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// While a cell of Nova is down, its list of servers leaves out those in that cell, and does not say so. Their ports say that
// they are there. (nova/conf/api.py: list_records_by_skipping_down_cells)

const (
	// maxAsked bounds how many servers are asked for by one list: ports can name servers that are long gone.
	maxAsked = 20
	// young is how old a server can be that was made while its list was read, by any clock.
	young = 10 * time.Minute
)

// leftOut is an error where ports are plugged in servers that are there and were not listed. Which of many are asked for
// differs from list to list.
func leftOut(ctx context.Context, d driver, servers []*state, plugged map[string][]Interface) error {
	missing := maps.Clone(plugged)
	delete(missing, "") // of ports that wait for a server
	for _, s := range servers {
		delete(missing, s.ID)
	}
	asked := 0
	for id := range missing { // in no order
		if asked++; asked > maxAsked {
			return nil
		}
		there, err := exists(ctx, d, id)
		if err == nil && there {
			err = errors.New("it is there")
		}
		if err != nil {
			return fmt.Errorf("the list of servers leaves out some, as it does while a cell of Nova is down: server %s, which has a port, is not in it: %w", id, err)
		}
	}
	return nil
}

// exists reports whether a server is there that a list would have shown: of the project, not deleted for now, and
// not made just now. Of one in a cell that is down Nova says 500.
func exists(ctx context.Context, d driver, id string) (bool, error) {
	var answer struct {
		Server struct {
			Status  string     `json:"status"`
			Project string     `json:"tenant_id"`
			Created table.Time `json:"created"`
		} `json:"server"`
	}
	version, err := d.Client.Microversion(ctx, cloud.Compute, withFlavorID)
	if err != nil {
		return false, err
	}
	err = d.Client.Do(ctx, cloud.Call{Service: cloud.Compute, Method: http.MethodGet, Path: d.Path(id), Into: &answer, Microversion: version})
	if errors.Is(err, kind.ErrGone) {
		return false, nil
	}
	s := answer.Server
	return s.Project == d.Client.ProjectID && s.Status != "SOFT_DELETED" && s.Status != "DELETED" && time.Since(s.Created.Time) > young, err
}
