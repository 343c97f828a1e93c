// Package playground serves the pages on which users try requests of the API: briefs, keywords, resumes and interviews.
//
// A client sends each request in process, as if it came from outside with the chosen key, and saves the result. Then
// the browser is redirected to the page of the result, so that a reload doesn't send the request again.
package playground
