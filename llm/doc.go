// Package llm asks language model servers: an Embedder for vectors, directions in a space where texts of like meaning lie
// close together; a Chat for tasks, to which a model replies with JSON of a given form.
//
// It speaks to any server with OpenAI's POST /v1/embeddings and POST /v1/chat/completions: OpenAI and Azure, gateways,
// Ollama, vLLM, llama.cpp, LM Studio, text-embeddings-inference. Such a server is slow, busy or gone at times, and may
// answer nonsense. The package bounds what that costs (deadlines, tries, parallel calls, bytes, tokens; a server that keeps
// failing is left alone for a while), checks every answer, and tells apart what passes (ErrUnavailable, ErrTimeout), what
// somebody has to set right (ErrConfiguration), and what a model cannot do (ErrReply).
//
// What a task works on may have been written to deceive: it goes between delimiters that cannot be guessed, without what
// cannot be seen, and the model has no tools and no form of reply but the task's. That is not enough to trust a reply: what
// it may decide is the caller's business.
//
// There are three tasks: an Interviewer asks questions and marks answers, a SkillJudge says what words mean. Their prompts
// are in prompts/, in files for people to review.
//
// The package does not say what to do without vectors or replies, and neither rounds nor compares vectors. Package llmtest
// is a server for tests.
package llm
