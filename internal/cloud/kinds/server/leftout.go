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

// While a cell of Nova is down, the list of servers omits the servers in that cell without an error. But their ports show
// that the servers exist. (nova/conf/api.py: list_records_by_skipping_down_cells)

const (
	// maxAsked limits how many single servers are read after one list, because ports can name servers that were deleted long
	// ago.
	maxAsked = 20
	// young is the age up to which a server may have been created after the list was read. It allows for clock differences.
	young = 10 * time.Minute
)

// leftOut returns an error if a port belongs to an existing server that the list omits. If there are more than maxAsked
// candidates, each call checks a random choice of them.
func leftOut(ctx context.Context, d driver, servers []*state, plugged map[string][]Interface) error {
	missing := maps.Clone(plugged)
	delete(missing, "") // ports that wait for a server
	for _, s := range servers {
		delete(missing, s.ID)
	}
	asked := 0
	for id := range missing { // in random order
		if asked++; asked > maxAsked {
			return nil
		}
		there, err := exists(ctx, d, id)
		if err == nil && there {
			err = errors.New("it is there")
		}
		if err != nil {
			return fmt.Errorf("the list of servers is not complete, probably because a cell of Nova is down: server %s, which has a port, is missing: %w", id, err)
		}
	}
	return nil
}

// exists reports whether the server exists and a list should have shown it: it belongs to the project, is not soft-deleted,
// and was not created just now. For a server in a cell that is down, Nova answers 500.
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
