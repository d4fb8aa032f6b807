"""Toulmin as a part of other people's frameworks: passages to retrieve, outputs to check.

    service.py          a server's search and check, in the words that the frameworks share
    langchain.py        LangChain: a retriever and a check of outputs
    llama_index.py      LlamaIndex: a retriever and an evaluator
    haystack.py         Haystack: a retriever, a check of replies and an evaluator
    litellm.py          LiteLLM: a guardrail of its proxy
    deepeval.py         DeepEval: a metric
    ragas.py            Ragas: a metric
    guardrails.py       Guardrails AI: a validator
    nemo_guardrails.py  NeMo Guardrails: a rail that finds passages and checks by them
    promptfoo.py        promptfoo: an assertion in Python

Each file but `service.py` names one framework, which is not installed with Toulmin, and asks a
running server over its public API, so that nothing is loaded in the application's process.
"""
