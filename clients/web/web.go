// Package web embeds <freelancer-match>, the web component with which pages of customers show matches.
package web

import _ "embed" // for Component

// Component is the module that defines the element. Within version 1, attributes, events, parts and custom properties
// stay.
//
//go:embed freelancer-match-v1.js
var Component []byte
