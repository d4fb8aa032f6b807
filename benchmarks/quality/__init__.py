"""How right is it? One command each; figures go to ../results/.

__main__.py          the check, on every development set; writes docs/quality.md (page.py,
                     sections.py, published.json)
spans.py             which words of a claim are not borne out (substitutions.py makes the claims)
acceptance.py        the acceptance cases
evidence_selection.py segmentation.py
                     whether the right chunk is found; where sentences end
parsing.py chunk_vectors.py
                     files -> text; what a long chunk loses
retrieval.py retrieval_stages.py
                     search, step by step
reader.py answers.py answer_quality.py written_answers.py
                     the reader alone, composed answers, answers from question to citation
declining.py follow_ups.py
                     when not to answer; follow-ups (data/)
"""
