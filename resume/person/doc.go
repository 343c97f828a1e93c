// Package person reads who a resume is about: the name, the job title, the contact details and the summary. Each has
// several candidates, and the weights of their features are next to the code that collects them.
package person
