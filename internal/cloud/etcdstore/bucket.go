package etcdstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/outbound"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/s3"
)

// scheme is the prefix of containers that are buckets. Swift's names contain no slash.
const scheme = "s3://"

// Bucket returns the name of the container that stands for a bucket.
func Bucket(name string) string { return scheme + name }

// twin is the container's name in the other protocol: a Swift that offers S3 shows each container as a bucket.
func twin(container string) string {
	if bucket, is := strings.CutPrefix(container, scheme); is {
		return bucket
	}
	return Bucket(container)
}

// buckets are the buckets in the stack's configuration, all in one store.
type buckets struct {
	client s3.Client
	allows []string
}

func newBuckets(c *cloud.Client, of defaults.S3, keys defaults.Keys) *buckets {
	at, err := url.Parse(of.Endpoint)
	if err != nil { // the configuration was validated before
		at = &url.URL{}
	}
	way := c.Elsewhere("s3", outbound.Config{TLS: keys.S3Trust, MaxAnswer: s3.MaxAnswer, Home: []string{at.Hostname()}, IdlePerHost: parallel})
	return &buckets{s3.Client{Endpoint: at, Region: cmp.Or(of.Region, "us-east-1"), Keys: keys.S3, Way: way}, of.Buckets}
}

func (b *buckets) has(name string) bool { return slices.Contains(b.allows, name) }

func (b *buckets) all() (containers []string) {
	for _, name := range b.allows {
		containers = append(containers, Bucket(name))
	}
	return containers
}

func (b *buckets) named(name string) container { return bucket{b.client, name} }

const (
	// patience is how long a store may take to list its objects, or to describe one. The stack's other objects must not wait long for a store that
	// does not answer.
	patience = 15 * time.Second
	// copying is how long a store may take to copy an object of the largest size onto itself.
	copying = 15 * time.Minute
)

// bucket is one bucket of the store.
type bucket struct {
	client s3.Client
	name   string
}

func (b bucket) names(ctx context.Context, begin string, each func(name string) error) error {
	err := b.client.List(cloud.WithLongest(ctx, patience), b.name, begin, each)
	switch {
	case errors.Is(err, s3.ErrNoBucket): // a missing bucket contains nothing
		return kind.ErrGone
	case errors.Is(err, s3.ErrNotFound): // from a proxy, which knows nothing of buckets
		return fmt.Errorf("s3: the bucket %s cannot be listed, because the answer does not come from an S3 store (%w); check the address in spec.defaults.s3.endpoint of the stack's configuration", b.name, err)
	}
	return b.classed(err)
}

func (b bucket) head(ctx context.Context, name string) (described, error) {
	o, err := b.client.Head(cloud.WithLongest(ctx, patience), b.name, name)
	return described{o.ETag, o.MD5, o.Size, o.Modified, o.Meta}, b.classed(err)
}

func (b bucket) part(ctx context.Context, name, etag string, from, to int64) ([]byte, error) {
	part, err := b.client.Part(ctx, b.name, name, etag, from, to)
	if errors.Is(err, s3.ErrChanged) {
		return nil, ErrReplaced
	}
	return part, b.classed(err)
}

func (b bucket) put(ctx context.Context, name string, metadata map[string]string, data io.ReadCloser, size int64) error {
	err := b.client.Put(ctx, b.name, name, metadata, data, size)
	if errors.Is(err, s3.ErrChanged) {
		return fmt.Errorf("s3: %w: there is an object %s already", kind.ErrBusy, name)
	}
	return b.classed(err)
}

func (b bucket) describe(ctx context.Context, name, etag string, metadata map[string]string) error {
	return b.classed(b.client.Describe(cloud.WithLongest(ctx, copying), b.name, name, etag, metadata))
}

func (b bucket) remove(ctx context.Context, name string) error {
	return b.classed(b.client.Remove(ctx, b.name, name))
}

// classed gives an error of the store its class. The text contains no address and no key.
func (b bucket) classed(err error) error {
	var listed *kind.RetryAfterError
	switch {
	case err == nil, errors.Is(err, ErrTooMany), errors.As(err, &listed):
		return err
	case errors.Is(err, s3.ErrNoBucket):
		return fmt.Errorf("s3: %w: there is no bucket %s; create it, or correct spec.defaults.s3 of the stack's configuration", kind.ErrRejected, b.name)
	case errors.Is(err, s3.ErrNotFound):
		return fmt.Errorf("s3: %w: %w", kind.ErrGone, err)
	case errors.Is(err, s3.ErrChanged):
		return fmt.Errorf("s3: %w: %w", kind.ErrBusy, err)
	case errors.Is(err, s3.ErrDenied):
		return fmt.Errorf("s3: %w: %w; check the keys in spec.defaults.s3.credentialsFile, and their permissions for the bucket %s", kind.ErrRejected, err, b.name)
	case errors.Is(err, s3.ErrRejected), errors.Is(err, outbound.ErrRefused):
		return fmt.Errorf("s3: %w: %w", kind.ErrRejected, err)
	}
	return fmt.Errorf("s3: %w", err)
}
