package review

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/report/comment"
)

// A plan merges the needs with the fate Included before the pull request. The page shows all needs, each with its fate.

// needsForPage returns the needs as the page shows them. It asks the forge about needs that are not open. It does not ask if the pull
// request comes from a fork, because then a stranger has named them. failed is true if the forge did not answer.
func (s *Planner) needsForPage(ctx context.Context, j job) (list []comment.Need, failed bool) {
	for _, one := range j.needs.list {
		if one.Fate == comment.NotOpen && !j.pull.Fork {
			var err error
			one.Need, err = s.fateOf(ctx, one.Need, j.pull.Base)
			failed = failed || err != nil
		}
		list = append(list, one.Need)
	}
	return list, failed
}

// fateOf returns a need without an open pull request into the branch, with the fate that the forge reports. For each merged pull request,
// the forge is asked only once, because it stays merged.
func (s *Planner) fateOf(ctx context.Context, n comment.Need, base string) (comment.Need, error) {
	if url, merged := s.mergedURLs.Load(n.Number); merged {
		n.Fate, n.URL = comment.Merged, url.(string)
		return n, nil
	}
	pull, err := s.repository.Forge.Pull(ctx, n.Number)
	switch {
	case errors.Is(err, forge.ErrNotFound):
		n.Fate = comment.Foreign
	case err != nil:
		return n, err
	case pull.Base != base:
		n.Fate, n.URL = comment.Astray, pull.URL
	case pull.Merged:
		n.Fate, n.URL = comment.Merged, pull.URL
		s.mergedURLs.Store(n.Number, pull.URL)
	case !pull.Open:
		n.Fate, n.URL = comment.Closed, pull.URL
	}
	return n, nil
}

// against returns the pull request that conflicts (what), and the names of the branch and the pull requests that it conflicts with. clean is the
// number of needs that were merged without conflicts.
func (p page) against(clean int) (what, with string) {
	what, names := "it", []string{p.Base}
	for _, n := range p.Needs {
		if n.Fate != comment.Included {
			continue
		}
		if clean == 0 {
			what = fmt.Sprint(n.Number)
			break
		}
		clean--
		names = append(names, fmt.Sprint(n.Number))
	}
	return what, strings.Join(names, ", ")
}
