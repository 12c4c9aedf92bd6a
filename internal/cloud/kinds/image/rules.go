package image

import (
	"net/url"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

type state = define.State[Spec, More]

const (
	community = "community"
	public    = "public"
	queued    = "queued"
)

// digits has the number of hexadecimal digits of each hash.
var digits = map[string]int{"md5": 32, "sha1": 40, "sha256": 64, "sha512": 128}

func validate(s *Spec, r *kind.Report) {
	if s.Content == nil || s.Content.Download == nil {
		return
	}
	d, at := s.Content.Download, "spec.resource.content.download."
	u, err := url.Parse(d.URL)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		r.Problem(at+"url", "is not the web address of a file", "write it as https://host/path")
	case u.User != nil:
		r.Problem(at+"url", "contains a login, which everybody who reads the repository can see", "use an address that needs no login")
	case u.Scheme == "http" && d.Hash == nil:
		r.Note(at+"url", "somebody can change a download over http on its way; use https, or give a hash")
	}
	if d.Hash != nil && (d.Hash.Algorithm == "md5" || d.Hash.Algorithm == "sha1") {
		r.Note(at+"hash.algorithm", d.Hash.Algorithm+" detects damage but no forgery, because different files can have the same digest; use sha256 or sha512")
	}
	if d.Hash != nil && len(d.Hash.Value) != digits[d.Hash.Algorithm] {
		r.Problem(at+"hash.value", "is no "+d.Hash.Algorithm+" digest, by its length", "copy all digits of it, or correct hash.algorithm")
	}
}

// impossible returns a reason if the image does not exist and the manifest declares no content.
func impossible(w typed.Want[Spec]) string {
	if w.Spec.Content == nil {
		return "spec.resource.content: is missing, and no existing image is adopted; give the address to download from, or use managementPolicy: unmanaged with spec.import.filter.name"
	}
	return ""
}

// match accepts community images only if the filter selects them, because anybody can publish one.
func match(f *Filter, s *state) bool {
	if f.Owner != nil && *f.Owner != s.More.Owner {
		return false
	}
	return f.matchName(s.Name) && (f.Visibility != nil || table.Or(s.Spec.Visibility, "") != community) && define.TagFilter{Tags: f.Tags}.MatchTags(s.Spec.Tags)
}

func (f *Filter) matchName(name string) bool {
	switch {
	case f.Name == nil:
		return true
	case f.Newest():
		return like(*f.Name, name)
	}
	return *f.Name == name
}

// like reports whether a name has the form of a pattern, in which * stands for any text.
func like(pattern, name string) bool {
	first, rest, several := strings.Cut(pattern, "*")
	if !several {
		return pattern == name
	}
	name, found := strings.CutPrefix(name, first)
	for found {
		part, more, another := strings.Cut(rest, "*")
		if !another {
			return strings.HasSuffix(name, part)
		}
		var at int
		if at = strings.Index(name, part); at < 0 {
			return false
		}
		name, rest = name[at+len(part):], more
	}
	return false
}

// phases has the phase for each status of Glance. (glance/common/utils.py, api-ref: image statuses)
var phases = map[string]kind.Phase{
	"active": kind.Ready, queued: kind.Pending, "saving": kind.Pending, "uploading": kind.Pending,
	"importing": kind.Pending, "deleted": kind.Deleting, "pending_delete": kind.Deleting,
}

// observe sets the phase of an image. A queued image of the stack is being uploaded, or its upload was interrupted. An
// image that an administrator has deactivated is not recreated, because that would undo the administrator's decision.
func (u *uploads) observe(s *state, live *kind.Live) {
	if live.Phase = phases[s.More.Status]; live.Phase == "" {
		live.Phase = kind.Failed
	}
	live.Created, live.Updated = s.More.CreatedAt.Time, s.More.UpdatedAt.Time
	live.Facts = kind.Facts{Name: s.Name, Size: kind.Size{Memory: s.More.MinRAM, Disk: max(s.More.MinDisk, gibibytes(table.Or(s.More.SizeB, 0)))}}
	live.Facts.Trusted = table.Or(s.Spec.Visibility, "") == public || u.client != nil && u.client.ProjectID != "" && s.More.Owner == u.client.ProjectID
	if live.Phase != kind.Ready {
		live.Message = "is " + strings.ReplaceAll(s.More.Status, "_", " ")
	}
	if s.Mark == nil {
		return
	}
	if s.Self != s.ID { // a snapshot has a copy of the mark, and so has an image of a volume; an image that the agent made names its own ID
		live.Mark = nil
		return
	}
	at := u.progress(s.ID)
	switch {
	case s.More.Status == "deactivated":
		live.Phase, live.Facts.Unusable = kind.Degraded, "deactivated"
		live.Message = "is deactivated: an administrator does not allow its use"
	case at != "":
		live.Phase, live.Message = kind.Pending, at
	case s.More.Status == queued && s.More.ImportTask+s.More.ImportLock == "":
		live.Phase, live.Message = kind.Begun, "its content is not uploaded yet"
	case slices.Contains([]string{"saving", queued, "uploading", "importing"}, s.More.Status) && u.now().Sub(s.More.UpdatedAt.Time) > longestUpload:
		live.Phase, live.Message = kind.Failed, "is "+s.More.Status+" for longer than any upload takes"
		live.Empty = true // an image in this state was never usable
	}
}

// gibibytes converts bytes to GiB and rounds up.
func gibibytes(bytes int64) int {
	const gib = 1 << 30
	return int(max(0, bytes)/gib + min(1, max(0, bytes)%gib))
}
