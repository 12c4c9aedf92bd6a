package manifest

import (
	"go.yaml.in/yaml/v3"
)

// otherFiles are the files of those nodes of a document that are not in the file of the object's origin.
type otherFiles map[*yaml.Node]string

// place returns the place of a node. file is the file of nodes that are in no other file.
func (o otherFiles) place(n *yaml.Node, file string) Origin {
	if other, ok := o[n]; ok {
		file = other
	}
	return Origin{File: file, Line: n.Line}
}

// add adds all nodes of a document of another file.
func (o otherFiles) add(n *yaml.Node, file string) {
	o[n] = file
	for _, c := range n.Content {
		o.add(c, file)
	}
}

// Origins returns the places of the object's document and of the documents of later layers that were merged into it.
func (o *Object) Origins() []Origin {
	all := []Origin{o.Origin}
	for _, patch := range o.making().patches {
		all = append(all, patch.Origin)
	}
	return all
}
