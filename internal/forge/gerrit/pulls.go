package gerrit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/pattern"
)

const (
	// commits is the option with which a query also returns the commits of the current patch sets.
	commits = "CURRENT_COMMIT"
	// pageSize is the number of changes in a page. smallPage is the number if their texts are too long for one answer.
	pageSize  = 100
	smallPage = 5
	// maxListed limits the changes in every list. maxRead limits the changes that are read for one list. Gerrit lists the change first
	// that was updated last, and cannot sort by number. So the oldest changes are found only by reading more pages.
	maxListed = 10_000
	maxRead   = 3 * maxListed
)

var full = pattern.Of(`^[0-9a-f]{40}$`)

func notFull(commit string) error {
	return fmt.Errorf("%w: %q is not a full commit", forge.ErrRefused, commit)
}

// query returns the changes of this project that match q, sorted by number.
func (r *Repository) query(ctx context.Context, what, q string, options ...string) (found []change, tooMany error) {
	few := []string{"CURRENT_REVISION", "DETAILED_ACCOUNTS"}
	all := append(slices.Clone(few), options...)
	values := url.Values{"q": {q + " project:" + r.project}, "o": all}
	size, done := pageSize, 0
	for more := true; more; {
		values.Set("n", strconv.Itoa(size))
		values.Set("S", strconv.Itoa(done))
		var page []change
		err := r.send(ctx, what, http.MethodGet, "changes/?"+values.Encode(), nil, &page)
		if errors.Is(err, forge.ErrTooBig) && size > smallPage {
			size = smallPage
			continue
		}
		if errors.Is(err, forge.ErrTooBig) && slices.Contains(values["o"], commits) { // a commit message is too long
			values["o"] = few
			continue
		}
		if err != nil {
			return nil, err
		}
		values["o"] = all
		more = len(page) > 0 && page[len(page)-1].More
		done += len(page)
		if found = append(found, page...); more && done < maxRead && len(found) <= 2*maxListed {
			continue
		}
		if found = r.oldest(found); len(found) > maxListed || more && done >= maxRead {
			tooMany = r.refuse(what, fmt.Errorf("%w: more than %d", forge.ErrTooMany, maxListed))
			found = found[:min(len(found), maxListed)]
		}
		more = more && done < maxRead
	}
	return found, tooMany
}

// oldest sorts the changes of this project by number, and removes duplicates. They exist because a change that is updated while pages are
// read moves others from page to page.
func (r *Repository) oldest(found []change) []change {
	found = slices.DeleteFunc(found, func(c change) bool { return string(c.Project) != r.project || c.Number <= 0 })
	slices.SortFunc(found, func(a, b change) int { return cmp.Compare(a.Number, b.Number) })
	return slices.CompactFunc(found, func(a, b change) bool { return a.Number == b.Number })
}

// OpenPulls implements [forge.Pulls].
func (r *Repository) OpenPulls(ctx context.Context, branch string) (list []forge.Pull, err error) {
	what := "list the open changes for " + branch
	if strings.ContainsAny(branch, `"\`) {
		return nil, r.refuse(what, fmt.Errorf("%w: a query cannot contain that name", forge.ErrRefused))
	}
	found, err := r.query(ctx, what, `status:open branch:"`+branch+`"`, commits)
	if err != nil && !errors.Is(err, forge.ErrTooMany) {
		return nil, err
	}
	found = slices.DeleteFunc(found, func(c change) bool { return string(c.Branch) != branch || c.Status != "NEW" })
	left := maxAsked
	for _, c := range found {
		p, wrong := r.pull(ctx, c, &left)
		if wrong != nil {
			return nil, wrong
		}
		list = append(list, p)
	}
	if wrong := r.fillNeeds(ctx, found, list); wrong != nil {
		return nil, wrong
	}
	return list, err
}

// Pull implements [forge.Pulls].
func (r *Repository) Pull(ctx context.Context, number int) (forge.Pull, error) {
	var c change
	what := fmt.Sprintf("read change %d", number)
	path := r.changePath(number) + "?o=CURRENT_REVISION&o=DETAILED_ACCOUNTS"
	if err := r.send(ctx, what, http.MethodGet, path, nil, &c); err != nil {
		return forge.Pull{}, err
	}
	if int(c.Number) != number || string(c.Project) != r.project {
		return forge.Pull{}, r.refuse(what, fmt.Errorf("%w: the answer is about another change", forge.ErrUnavailable))
	}
	left := maxAsked
	return r.pull(ctx, c, &left)
}

// pull converts a change to a pull request. Anybody may upload a change. So Fork is true if the uploader of the patch set may not change
// the branch.
func (r *Repository) pull(ctx context.Context, c change, left *int) (forge.Pull, error) {
	p := forge.Pull{
		Number: int(c.Number), Title: string(c.Subject), URL: r.address(int(c.Number)), Author: c.Owner.login(), Base: string(c.Branch),
		Fork: true, Open: c.Status == "NEW", Merged: c.Status == "MERGED", Updated: c.Updated.Time,
	}
	revision, ok := c.Revisions[string(c.CurrentRevision)]
	if !ok || !full.MatchString(string(c.CurrentRevision)) || revision.Number <= 0 {
		return p, nil
	}
	p.Head, p.HeadRef = string(c.CurrentRevision), fmt.Sprintf("refs/changes/%02d/%d/%d", c.Number%100, c.Number, revision.Number)
	if p.Merged {
		p.MergeCommit = p.Head
	}
	trusted, err := r.trusts(ctx, revision, p.Base, left)
	p.Fork = !trusted
	return p, err
}

// address returns the address of a change's web page.
func (r *Repository) address(number int) string {
	return fmt.Sprintf("%s/c/%s/+/%d", r.site, r.project, number)
}

// MergedBy implements [forge.Pulls]. After a merge, the branch contains the last patch set itself, or a merge commit of Gerrit whose second
// parent is that patch set.
func (r *Repository) MergedBy(ctx context.Context, branch, tip string) (forge.Pull, error) {
	what := fmt.Sprintf("find the change that merged %s into %s", tip, branch)
	if !full.MatchString(tip) {
		return forge.Pull{}, r.refuse(what, notFull(tip))
	}
	p, err := r.mergedAs(ctx, what, branch, tip)
	if !errors.Is(err, forge.ErrNotFound) {
		return p, err
	}
	var made commit
	if err := r.send(ctx, what, http.MethodGet, r.projectPath()+"/commits/"+tip, nil, &made); err != nil {
		return forge.Pull{}, err
	}
	if len(made.Parents) != 2 || !full.MatchString(string(made.Parents[1].Commit)) {
		return forge.Pull{}, err
	}
	p, err = r.mergedAs(ctx, what, branch, string(made.Parents[1].Commit))
	p.MergeCommit = tip
	return p, err
}

// mergedAs finds the merged change whose last patch set is commit.
func (r *Repository) mergedAs(ctx context.Context, what, branch, commit string) (forge.Pull, error) {
	found, err := r.query(ctx, what, "commit:"+commit)
	if err != nil {
		return forge.Pull{}, err
	}
	for _, c := range found {
		if c.Status == "MERGED" && string(c.Branch) == branch && string(c.CurrentRevision) == commit {
			none := 0 // for a merged change, nobody needs to know whether its uploader is trusted
			return r.pull(ctx, c, &none)
		}
	}
	return forge.Pull{}, r.refuse(what, forge.ErrNotFound)
}

// LastTouch implements [forge.History] with Gitiles, a plugin that is part of Gerrit. Without the plugin, the error is ErrNotFound.
func (r *Repository) LastTouch(ctx context.Context, branch, file string) (string, error) {
	var found struct {
		Log []struct {
			Commit text `json:"commit"`
		} `json:"log"`
	}
	what := "find who touched " + file
	path := "plugins/gitiles/" + r.project + "/+log/" + escaped("refs/heads/"+branch+"/"+file) + "?format=JSON&n=1"
	if err := r.send(ctx, what, http.MethodGet, path, nil, &found); err != nil {
		return "", err
	}
	if len(found.Log) == 0 || !full.MatchString(string(found.Log[0].Commit)) {
		return "", r.refuse(what, forge.ErrNotFound)
	}
	return string(found.Log[0].Commit), nil
}

// escaped encodes a path for a URL, except its slashes.
func escaped(path string) string {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		parts[i] = url.PathEscape(part)
	}
	return strings.Join(parts, "/")
}
