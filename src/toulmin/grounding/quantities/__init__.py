"""What does a claim say of how much, and how does its evidence write that?

    reading.py       text -> its quantities: values, unit, bound, place (numbers.py, bounds.py)
    rewriting.py     a claim's quantities as the evidence writes them: "1,800 grams" as "1.8 kg"

Words come from `grounding/data/quantities.toml`, units from `text/units.py`.
"""
