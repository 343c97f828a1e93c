package elastic

// An object is a JSON object of a request.
type object = map[string]any
