"""Which chunks matter for this query?

In: a `SearchQuery` over data stores. Out: one page of ranked documents or chunks, each with how
relevant it is, in [0, 1]; and for texts that no index knows, their order.

    search.py       the list of the steps
    query.py results.py                        the nouns
    filters.py ordering.py                     filter expressions and `order_by`, parsed
                                               (filter_tokens.py, filter_values.py)
    spelling.py                                misspelt words of a query, put right
    candidates.py fusion.py                    what words and vectors find, as one ranking
    relevance.py coverage.py frequencies.py    how relevant a candidate is; how rare a word
    rerank.py rank.py                          a model reads query and passage; texts of a request
    boosts.py field_order.py facets.py         what rises, other orders, counts
    arrange.py                                 candidates -> the results of a page
    snippets.py extracts.py words.py           what is shown of a text
    recommend.py                               documents seen -> documents like them
    completion.py                              beginnings of queries -> titles and headings
"""
