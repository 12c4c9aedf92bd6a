package readapi

import (
	"bytes"
	"errors"

	"google.golang.org/protobuf/encoding/protowire"
)

// protobufSpec returns the spec of an object in the protobuf encoding of Kubernetes. ok is false for every other encoding. Newer clients write
// reviews in protobuf.
func protobufSpec(body []byte) (spec []byte, ok bool, err error) {
	envelope, ok := bytes.CutPrefix(body, []byte("k8s\x00"))
	if !ok {
		return nil, false, nil
	}
	outer, err := fields(envelope)
	if err != nil {
		return nil, true, err
	}
	object, err := fields(outer[2]) // field 1 is its type
	return object[2], true, err     // field 1 is its metadata
}

// fields returns the texts and nested messages of a message, by field number.
func fields(message []byte) (map[protowire.Number][]byte, error) {
	found := map[protowire.Number][]byte{}
	for len(message) > 0 {
		number, kind, size := protowire.ConsumeField(message)
		if size < 0 {
			return nil, errors.New("this is not protobuf")
		}
		if kind == protowire.BytesType {
			_, _, head := protowire.ConsumeTag(message)
			found[number], _ = protowire.ConsumeBytes(message[head:size])
		}
		message = message[size:]
	}
	return found, nil
}

func accessQuestion(spec []byte) (q question, err error) {
	of, err := fields(spec)
	if err != nil {
		return q, err
	}
	if text, ok := of[1]; ok {
		deed, err := fields(text)
		if err != nil {
			return q, err
		}
		q.Resource = &resourceDeed{string(deed[1]), string(deed[2]), string(deed[3]), string(deed[4]), string(deed[5]), string(deed[6]), string(deed[7])}
	}
	if text, ok := of[2]; ok {
		deed, err := fields(text)
		if err != nil {
			return q, err
		}
		q.Path = &pathDeed{string(deed[1]), string(deed[2])}
	}
	return q, nil
}

func rulesQuestion(spec []byte) (question, error) {
	of, err := fields(spec)
	return question{Namespace: string(of[1])}, err
}

// noQuestion parses reviews whose spec is empty.
func noQuestion([]byte) (question, error) { return question{}, nil }
