module github.com/stackreeve/stackreeve/tools/mutants

go 1.26.0
