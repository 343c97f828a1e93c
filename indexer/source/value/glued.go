package value

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// inner holds names with capitals inside and acronyms that stand beside other names in glued lists. They decide where
// a glued list is cut, so only names that are unmistakable belong here.
var inner = [...]string{
	"ActionScript", "AngularJS", "AngularJs", "AutoCAD", "BackboneJS", "BigCommerce", "BigQuery", "BitBucket", "BuddyPress", "ChatGPT",
	"CircleCI", "ClickFunnels", "CodeIgniter", "CoffeeScript", "CorelDRAW", "CouchDB", "DevOps", "DynamoDB", "ElasticSearch",
	"ExpressJS", "ExpressJs", "FastAPI", "FileMaker", "FinTech", "GitHub", "GitLab", "GraphQL", "HubSpot", "InDesign", "JavaScript",
	"LaTeX", "LinkedIn", "MailChimp", "MariaDB", "MongoDB", "MySQL", "NestJS", "NextJS", "NextJs", "NoSQL", "NodeJS", "NodeJs", "NuxtJS", "OpenAI",
	"OpenCart", "OpenCV", "OpenGL", "OpenStack", "PhoneGap", "PhotoShop", "PostgreSQL", "PowerBI", "PowerPoint",
	"PowerShell", "PrestaShop", "PyTorch", "QuickBooks", "RabbitMQ", "ReactJS", "ReactJs", "SharePoint", "SketchUp", "SolidWorks",
	"SQLAlchemy", "SQLite", "SwiftUI", "TensorFlow", "TikTok", "TypeScript", "VBScript", "VMware", "VueJS", "VueJs", "WebGL", "WebRTC",
	"WhatsApp", "WooCommerce", "WordPress", "YouTube", "eBay", "eCommerce", "iOS", "iPad", "iPhone", "jQuery", "macOS",
	"API", "ASP.NET", "AWS", "CAD", "CMS", "CRM", "CSS", "CSS3", "ERP", "HTML", "HTML5", "JSON", "PDF", "PHP", "REST", "SEM", "SEO",
	"SQL", "UI/UX", "VBA", "XML",
}

// splitGlued cuts names that were glued together, and returns s alone when it is not clearly such a list. Clear are
// three borders within words, two when there are also a space or a known name (otherwise it may be one compound, as in
// BookKeepingPro), and known names alone.
func splitGlued(s string) []string {
	if len(s) > maxGlued {
		return []string{s}
	}
	var pieces []string
	borders, unknown, start := 0, 0, 0
	for i := 0; i < len(s); {
		size := innerAt(s, i)
		if size > 0 {
			if start < i {
				if !isNameByte(s[i-1]) { // "Adobe PhotoShop", "Web (ReactJS": part of a longer name
					i += size
					continue
				}
				pieces, start, unknown = append(pieces, s[start:i]), i, unknown+1
				borders++
			}
			i += size
			if i < len(s) && isNameByte(s[i]) {
				pieces, start = append(pieces, s[start:i]), i
				borders++
			}
			continue
		}
		r, width := utf8.DecodeRuneInString(s[i:])
		if i > start && unicode.IsUpper(r) {
			if previous, _ := utf8.DecodeLastRuneInString(s[:i]); unicode.IsLower(previous) {
				pieces, start, unknown = append(pieces, s[start:i]), i, unknown+1
				borders++
			}
		}
		i += width
	}
	if start < len(s) {
		pieces = append(pieces, s[start:])
		if innerAt(s, start) != len(s)-start {
			unknown++
		}
	}
	isList := unknown == 0 || borders >= 3 || borders == 2 && (unknown < len(pieces) || strings.IndexByte(s, ' ') >= 0)
	if !isList {
		return []string{s}
	}
	return pieces
}

// isNameByte reports bytes that begin or end a name.
func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || isDigit(c) || c == '+' || c == '#' || c >= utf8.RuneSelf
}

// maxGlued is the longest cell that may be a glued list, in bytes.
const maxGlued = 4000

// innerAt is the length of the longest known name at s[i:] that does not go on into a longer word, 0 for none.
func innerAt(s string, i int) int {
	longest := 0
	for _, name := range inner {
		if len(name) <= longest || !strings.HasPrefix(s[i:], name) {
			continue
		}
		rest := s[i+len(name):]
		next, _ := utf8.DecodeRuneInString(rest)
		if !unicode.IsLower(next) && !unicode.IsDigit(next) || startsInner(rest) {
			longest = len(name)
		}
	}
	return longest
}

// startsInner reports whether s begins with a name that is known to start with a small letter.
func startsInner(s string) bool {
	for _, name := range inner {
		if name[0] >= 'a' && strings.HasPrefix(s, name) {
			return true
		}
	}
	return false
}
