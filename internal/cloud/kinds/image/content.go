package image

import (
	"cmp"
	"strings"

	"github.com/stackreeve/stackreeve/internal/checksum"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// contentKey is the name of the property that describes the uploaded content.
const contentKey = "stackreeve-content"

// words returns the description of an image's content, as words with names: disk:qcow2 container:bare url:SUM
// decompress:gz hash:sha256:abc….
func (c *Content) words() string {
	all := []string{"disk:" + c.DiskFormat, "container:" + c.container()}
	if d := c.Download; d != nil {
		all = append(all, "url:"+checksum.Of(d.URL).Text(), "decompress:"+table.Or(d.Decompress, ""), "hash:"+d.Hash.text())
	}
	return strings.Join(all, " ")
}

func (c *Content) container() string { return cmp.Or(c.ContainerFormat, "bare") }

func (h *Hash) text() string {
	if h == nil {
		return ""
	}
	return h.Algorithm + ":" + h.Value
}

func wordsIn(text string) map[string]string {
	all := map[string]string{}
	for word := range strings.FieldsSeq(text) {
		name, value, _ := strings.Cut(word, ":")
		all[name] = value
	}
	return all
}

// compareContent compares the manifest with the property that describes the uploaded content, because the cloud may have
// converted the image since. A file with the same hash at another address counts as equal. An adopted image has no such
// property, so only the formats are compared.
func compareContent(w typed.Want[Spec], have *table.Object[Spec, More], c *kind.Changes) {
	want, at := w.Spec.Content, "spec.resource.content."
	if want == nil {
		return
	}
	if have.More.Uploaded == "" {
		kind.Fixed(c, at+"containerFormat", have.More.ContainerFormat, want.container())
		kind.Fixed(c, at+"diskFormat", have.More.DiskFormat, want.DiskFormat)
		return
	}
	was, is := wordsIn(string(have.More.Uploaded)), wordsIn(want.words())
	same := was["url"] == "" && is["url"] == "" || want.Download != nil && checksum.Of(want.Download.URL).Stored(was["url"])
	for _, f := range [][2]string{{"container", "containerFormat"}, {"disk", "diskFormat"}, {"decompress", "download.decompress"}, {"hash", "download.hash"}} {
		if f[0] == "hash" && same && is["hash"] == "" {
			continue // only the hash was removed from the manifest: it was checked at the upload
		}
		kind.Fixed(c, at+f[1], was[f[0]], is[f[0]])
	}
	if !same && (is["hash"] == "" || was["hash"] != is["hash"]) {
		c.Add(kind.Change{Field: at + "download.url", Have: "another address (digest " + was["url"] + ")", Want: want.Download.URL, Disruption: kind.Replace})
	}
}

func writeContent(w typed.Want[Spec], have *table.Object[Spec, More], body map[string]any) {
	if want := w.Spec.Content; want != nil && have == nil {
		body["disk_format"], body["container_format"], body[contentKey] = want.DiskFormat, want.container(), want.words()
	}
}

// diff requests the upload of an image that is still queued.
func diff(w typed.Want[Spec], have *state, c *kind.Changes) {
	if w.Spec.Content != nil && w.Spec.Content.Download != nil && have.More.Status == queued {
		c.Add(kind.Change{Field: "spec.resource.content.download", Have: "not uploaded", Want: w.Spec.Content.Download.URL, Disruption: kind.InPlace})
	}
}
