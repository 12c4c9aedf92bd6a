package cinder

import (
	"net/http"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
	"github.com/stackreeve/stackreeve/internal/simulator/pyjson"
)

func (b *Cinder) showMetadata(c *call) (*oslo.Response, error) {
	v, err := b.find(c.Caller, c.id())
	if err != nil {
		return nil, err
	}
	return oslo.OK(map[string]any{"metadata": v.Metadata}), nil
}

func (b *Cinder) setMetadata(c *call, in *pyjson.Object, replace bool) (*Volume, error) {
	v, err := b.find(c.Caller, c.id())
	if err != nil {
		return nil, err
	}
	meta := texts(in)
	if !replace {
		for key, value := range v.Metadata {
			if _, ok := meta[key]; !ok {
				meta[key] = value
			}
		}
	}
	v.Metadata = meta
	b.touch(v)
	return v, nil
}

func (b *Cinder) writeMetadata(replace bool) handler {
	return func(c *call) (*oslo.Response, error) {
		body, err := c.read(wrapped("metadata", metadataSchema))
		if err != nil {
			return nil, err
		}
		v, err := b.setMetadata(c, body.Object("metadata"), replace)
		if err != nil {
			return nil, err
		}
		return oslo.OK(map[string]any{"metadata": v.Metadata}), nil
	}
}

func (b *Cinder) noKey(v *Volume, key string) error {
	return notFound("Volume %s has no metadata with key %s.", v.ID, key)
}

func (b *Cinder) showMetadataItem(c *call) (*oslo.Response, error) {
	v, err := b.find(c.Caller, c.id())
	if err != nil {
		return nil, err
	}
	key := c.PathValue("key")
	value, ok := v.Metadata[key]
	if !ok {
		return nil, b.noKey(v, key)
	}
	return oslo.OK(map[string]any{"meta": map[string]string{key: value}}), nil
}

func (b *Cinder) writeMetadataItem(c *call) (*oslo.Response, error) {
	body, err := c.read(wrapped("meta", metadataSchema))
	if err != nil {
		return nil, err
	}
	in := body.Object("meta")
	if !in.Has(c.PathValue("key")) || len(in.Keys()) != 1 {
		return nil, badRequest("Request body and URI mismatch")
	}
	if _, err := b.setMetadata(c, in, false); err != nil {
		return nil, err
	}
	return oslo.OK(map[string]any{"meta": pyjson.Plain(in)}), nil
}

func (b *Cinder) deleteMetadataItem(c *call) (*oslo.Response, error) {
	v, err := b.find(c.Caller, c.id())
	if err != nil {
		return nil, err
	}
	key := c.PathValue("key")
	if _, ok := v.Metadata[key]; !ok {
		return nil, b.noKey(v, key)
	}
	left := map[string]string{}
	for k, value := range v.Metadata {
		if k != key {
			left[k] = value
		}
	}
	v.Metadata = left
	b.touch(v)
	return &oslo.Response{Status: http.StatusOK}, nil
}
