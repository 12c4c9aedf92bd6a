package manifest

// Settings reads a file into a pointer to a struct, strictly. The file is one YAML document that is no manifest. The
// document has no head, and every field that the struct does not have is a problem. An empty file does not change the
// struct.
//
// where returns the line of a field such as sync.mode.
func Settings(file string, text []byte, into any) (where func(field string) Origin, problems Problems) {
	where = func(string) Origin { return Origin{File: file} }
	opts := Options{}.withDefaults()
	p := parser{limit: 2, budget: 1 << 20}
	var docs []document
	for _, c := range p.chunks(file, text) {
		docs = append(docs, p.parse(file, c)...)
	}
	if len(docs) == 0 {
		return where, nil
	}
	first := docs[0]
	at := Origin{File: file, Line: first.line}
	switch {
	case first.fault != nil:
		return where, Problems{{Origin: at, What: first.fault.what, Fix: first.fault.fix}}
	case len(docs) > 1:
		return where, Problems{{Origin: Origin{File: file, Line: docs[1].line}, What: "a second document", Fix: "keep one"}}
	}
	object := Object{Origin: at, body: first.root}
	where = object.Where
	check := checker{maxDepth: opts.MaxDepth, maxAliases: opts.MaxAliases, maxNodes: opts.MaxPerObject}
	check.walk(first.root, nil, 0)
	problems = check.problems
	for i := range problems {
		problems[i].Origin.File = file
	}
	if check.unsafe {
		return where, problems
	}
	d := decoder{origin: at}
	d.into(first.root, spot{where: at}, into)
	return where, append(problems, d.problems...)
}
