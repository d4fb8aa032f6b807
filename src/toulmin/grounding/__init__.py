"""Does this text follow from these facts?

In: an answer (str) and facts. Out: a `GroundingReport`, offsets in characters, scores in [0, 1].

    check.py             the steps of a check, in order (pace.py: is there time for them?)
    claims.py            answer -> claims (check_worthiness.py, tokens.py)
    evidence.py          claims, facts -> the chunks worth reading for each claim
                         (chunking.py, ranking.py, lexical.py, terms.py)
    packs.py             evidence, claims -> what the grounding model reads; shared with training
    inputs.py            evidence, claim -> what the small encoder reads; shared with training
    subjects.py          "It was ..." -> "Titanic was ...", where that is plain
    support.py           evidence, claim -> probability of support and of contradiction
    by_language.py       which model scores a claim: by its language and its evidence's
    pack_scorer.py       the same from the grounding model, the default (verbatim.py: a claim that
                         stands in a fact word for word)
    classifier_scorer.py the same from a cross-encoder of somebody else
    llm_judge.py         the same from a language model
    recalibration.py     the same, made honest on one's own data
    quantities/          text -> its quantities; a claim's as its evidence writes them
    spans.py             which words are not borne out, and what they conflict with
    correcting/          claims that are not borne out -> what the facts say instead, if proven
    conflicting/         facts -> where two of them cannot both be right
    typed_words.py       text -> its words, each with what it is: number, year, month, name, ...
    helpfulness.py       prompt, answer -> how well the one serves the other
                         (prompt_intent.py, reading.py, helpfulness_features.py)
    report.py            scores -> citations, anti-citations, overall scores

The contract is the check-grounding guide and `CheckGroundingResponse` of Discovery Engine:
https://cloud.google.com/generative-ai-app-builder/docs/check-grounding
"""
