package mappings

import _ "embed"

//go:embed taxonomy.v1.gz
var taxonomy []byte

// Taxonomy is the data of the skill taxonomy, as package taxonomy reads it. It must not be changed.
func Taxonomy() []byte { return taxonomy }
