"""Discovery Engine: one handler file per Google service, `convert/` between the words.

    grounded_generation.py     GroundedGenerationService: check grounding
    grounded_content.py        GroundedGenerationService: generated content
    search.py                  SearchService (search_controls.py: what a serving config adds)
    rank.py                    RankService
    conversational_search.py   ConversationalSearchService: answers (answers_later.py)
    assistant.py               AssistantService: the default assistant
    session.py                 its sessions; conversation.py: its conversations
    session_turns.py           the question of a session that a search or an answer is for
    completion.py              CompletionService (suggestions.py)
    document.py                DocumentService (document_batches.py: imports, purges)
    chunk.py branch.py         ChunkService, BranchService
    data_store.py engine.py schema.py serving_config.py control.py
                               a service each (control_checks.py, resource_lists.py)
    user_event.py              UserEventService (event_filter.py: what a purge names)
    recommendation.py          RecommendationService (recommendation_params.py)
    names.py                   resource names
    convert/                   messages -> our nouns, and back

Reference: https://cloud.google.com/generative-ai-app-builder/docs/reference/rpc
"""
