"""Should this be answered, or shown, at all?

A query or a text goes in; probabilities and levels come out. Nothing is blocked here: callers
decide by their own thresholds.

- `query_classes.py`: chit-chat, no clear intent, adversarial, jailbreak.
- `ratings.py`: hate speech, harassment, dangerous content, sexually explicit content.
- `features.py`, `heads.py`: how both read a text.
- `explicit_terms.py`: the word list behind the sexually explicit rating.
"""
