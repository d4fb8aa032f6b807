"""Between Google's words and ours: messages of any version to our nouns, and back.

In: a message. Out: a noun of the rooms below, or the other way around. Nothing here reads a store,
searches or answers; what is wrong with a message is an `InvalidArgument` that names its field.

    check.py             `CheckGroundingRequest`, `CheckGroundingResponse`
    search_requests.py   `SearchRequest` -> search query (boosts.py, facets.py)
    search_responses.py  search results -> `SearchResponse`
    questions.py         `AnswerQueryRequest` -> question
    answers.py           answer -> `Answer`
    assists.py           `StreamAssistRequest` -> question; answer -> `AssistAnswer`
    summaries.py         search results -> question; its answer -> `Summary`
    documents.py         documents and chunks
    resources.py         data stores, engines, serving configs, controls, schemas
    user_events.py       user events, and what one must be
    fields.py            which fields a message has in its version
    offsets.py           characters -> UTF-8 bytes
    user_labels.py       labels of a request: checked, then not used
"""
