"""The Gemini API (generativelanguage v1beta and v1alpha) as far as grounding needs it.

names       corpora, documents, chunks, permissions: names and ids
lookup      the corpus or document that a request is about, or the error that clients expect
convert     messages -> stored documents and chunks, and back
filters     metadata filters -> predicates
corpus, document, chunk, query   the handlers of RetrieverService, which retriever.py binds
chunk_batches  what the requests about chunks ask for
permission  PermissionService
model       ModelService: which models there are and what they do
embedding   embedContent, batchEmbedContents, countTokens
generate_answer  generateAnswer; register.py binds all the others

A corpus is a data store under a parent of its own (`names.CORPORA`), so that no resource name of
Discovery Engine reaches it; its documents and chunks are those of the record store.
"""
