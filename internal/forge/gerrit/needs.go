package gerrit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/pattern"
)

// maxParents is the number of parents of a commit that are looked up.
const maxParents = 4

// index finds changes of a list by their ID, newest commit and topic.
type index struct {
	byID    map[text]number // without private changes, because a change of somebody else must not reveal them.
	hidden  map[number]bool
	byHead  map[string]number
	byTopic map[text][]number // changes that people of the project uploaded: a stranger can set any topic
}

func newIndex(found []change, list []forge.Pull) index {
	x := index{map[text]number{}, map[number]bool{}, map[string]number{}, map[text][]number{}}
	for _, strangers := range []bool{false, true} {
		for i, c := range found {
			if list[i].Fork != strangers {
				continue
			}
			x.byHead[list[i].Head] = cmp.Or(x.byHead[list[i].Head], c.Number)
			if c.Private {
				x.hidden[c.Number] = true
				continue
			}
			x.byID[c.ID] = cmp.Or(x.byID[c.ID], c.Number)
			if c.Topic != "" && !strangers && len(x.byTopic[c.Topic]) <= forge.MaxNeeds+1 {
				x.byTopic[c.Topic] = append(x.byTopic[c.Topic], c.Number)
			}
		}
	}
	return x
}

// fillNeeds sets the needs of the listed changes: the parents of their patch sets, the changes that their messages name, and
// the other changes of their topics.
func (r *Repository) fillNeeds(ctx context.Context, found []change, list []forge.Pull) error {
	x, left := newIndex(found, list), maxAsked
	topics := forge.Related
	if slices.ContainsFunc(found, func(c change) bool { return len(x.byTopic[c.Topic]) > 1 }) {
		whole, err := r.submitsTopics(ctx)
		if err != nil {
			return err
		}
		if whole {
			topics = forge.Together
		}
	}
	for i, c := range found {
		made := c.Revisions[string(c.CurrentRevision)].Commit
		needs, err := r.parents(ctx, x, made, &left)
		if err != nil {
			return err
		}
		needs = slices.DeleteFunc(needs, func(n forge.Need) bool { return n.Number == int(c.Number) })
		for _, name := range made.DependsOn {
			needs = append(needs, r.named(x, name))
		}
		for _, other := range x.byTopic[c.Topic] {
			if other != c.Number {
				needs = append(needs, forge.Need{Number: int(other), Bond: topics})
			}
		}
		list[i].Needs = needs[:min(len(needs), forge.MaxNeeds+1)]
	}
	return nil
}

// changeName matches a Change-Id, as commit messages contain it.
var changeName = pattern.Of(`^I[0-9a-f]{40}$`)

// place matches the path of a change's web page, below the address of its Gerrit.
var place = pattern.Of(`^/(?:#/)?(?:c/)?(?:(.+)/\+/)?([0-9]{1,9})(?:/[^ ]*)?$`)

// named returns the need for a name in a line of a message. The name is a Change-Id, or the address of a change on this
// Gerrit.
func (r *Repository) named(x index, name string) forge.Need {
	need := forge.Need{Name: name, Bond: forge.Named}
	if changeName.MatchString(name) {
		need.Number = int(x.byID[text(name)])
		return need
	}
	_, site, _ := strings.Cut(r.site, "://")
	_, address, _ := strings.Cut(name, "://")
	if len(address) < len(site) || !strings.EqualFold(address[:len(site)], site) {
		return need
	}
	parts := place.FindStringSubmatch(address[len(site):])
	if parts == nil || parts[1] != "" && parts[1] != r.project {
		return need
	}
	if found, err := strconv.Atoi(parts[2]); err == nil && !x.hidden[number(found)] {
		need.Number = found
	}
	return need
}

// parents returns the changes whose patch sets are the parents of a commit. The argument left is the number of requests that may still be
// sent. When it is 0, an unknown parent counts as a commit of the branch until the next list.
func (r *Repository) parents(ctx context.Context, x index, made commit, left *int) (needs []forge.Need, err error) {
	for _, parent := range made.Parents[:min(len(made.Parents), maxParents)] {
		below := string(parent.Commit)
		if !full.MatchString(below) {
			continue
		}
		of, known := x.byHead[below]
		if !known {
			if of, err = r.patchSetOf(ctx, below, left); err != nil {
				return nil, err
			}
		}
		if of > 0 {
			needs = append(needs, forge.Need{Number: int(of), Bond: forge.Contained, Commit: below})
		}
	}
	return needs, nil
}

// patchSetOf returns the change, open or abandoned, of which a commit is or was a patch set; 0 for none. The answer is
// remembered.
func (r *Repository) patchSetOf(ctx context.Context, below string, left *int) (number, error) {
	r.mu.Lock()
	of, known := r.below[below]
	r.mu.Unlock()
	if known || *left <= 0 {
		return of, nil
	}
	*left--
	found, err := r.query(ctx, "find the change of "+below, "commit:"+below)
	if err != nil && !errors.Is(err, forge.ErrTooMany) {
		return 0, tooBig(err)
	}
	for _, c := range found {
		if c.Status != "MERGED" {
			of = c.Number
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.below) >= maxRights {
		r.below = map[string]number{}
	}
	r.below[below] = of
	return of, nil
}

// answered is an answer of Gerrit that is used for some time.
type answered struct {
	yes   bool
	asked time.Time
}

// submitsTopics reports whether Gerrit submits all changes of a topic together. It returns false if Gerrit refuses to answer.
func (r *Repository) submitsTopics(ctx context.Context) (bool, error) {
	r.mu.Lock()
	last := r.whole
	r.mu.Unlock()
	if !last.asked.IsZero() && time.Since(last.asked) < strangerAge {
		return last.yes, nil
	}
	var info struct {
		Change struct {
			Whole bool `json:"submit_whole_topic"`
		} `json:"change"`
	}
	err := r.send(ctx, "ask how topics are submitted", http.MethodGet, "config/server/info", nil, &info)
	if err != nil && !errors.Is(err, forge.ErrRefused) && !errors.Is(err, forge.ErrNotFound) {
		return false, fmt.Errorf("%w; topics are not known", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.whole = answered{info.Change.Whole && err == nil, time.Now()}
	return r.whole.yes, nil
}
