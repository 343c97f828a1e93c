// Package pagestyle has the style sheet that all pages of the programs begin with.
package pagestyle

import _ "embed"

// Base has the colors of both schemes, and the rules that all pages share. A page adds its own rules behind it.
//
//go:embed base.css
var Base string
