"""Invented study abstracts: found, not found, only associated, only planned; and claims on them."""
# ruff: noqa: E501  (tables of sentences are easier to read one entry a line)
# ruff: noqa: SIM905  (a split string is easier to read and to extend than a list)

from __future__ import annotations

import random
import re
from dataclasses import dataclass

from data.rows import CONTRADICTION, NEUTRAL, SUPPORT, UNSUPPORTED, Row

_TREATMENTS = (
    "vitamin D", "zinc supplements", "green tea", "ibuprofen", "metformin", "hydroxychloroquine", "face masks",
    "probiotics", "fish oil", "garlic extract", "aspirin", "remote monitoring", "yoga", "acupuncture", "ivermectin",
    "a low-salt diet", "intermittent fasting", "the influenza vaccine", "dexamethasone", "melatonin", "caffeine",
    "nasal irrigation", "physical distancing", "hand washing", "statins", "remdesivir", "convalescent plasma",
    "omega-3 capsules", "school closures", "moderate alcohol consumption", "cognitive therapy", "regular walking",
    "early screening", "blood pressure medication", "a Mediterranean diet", "vitamin C", "smoking", "air pollution",
    "warm weather", "obesity", "ACE inhibitors", "antibiotics", "honey", "nicotine patches", "sleep restriction",
)  # fmt: skip
_OUTCOMES = (
    "mortality", "the risk of infection", "the length of hospital stay", "blood pressure", "viral load", "symptom severity",
    "the risk of stroke", "body weight", "pain scores", "the need for ventilation", "anxiety", "transmission of the virus",
    "the rate of relapse", "cholesterol levels", "sleep duration", "the number of sick days", "inflammation", "fatigue",
    "the incidence of diabetes", "lung function", "the duration of fever", "bone density", "hospital admissions",
    "antibody levels", "the risk of falls", "memory performance", "the risk of preterm birth", "heart rate",
)  # fmt: skip
_PEOPLE = (
    "adults with type 2 diabetes", "older adults", "children under five", "pregnant women", "health care workers",
    "hospitalised patients with pneumonia", "patients with severe COVID-19", "patients with mild COVID-19", "healthy volunteers",
    "postmenopausal women", "nursing home residents", "men over 60", "people with asthma", "adolescents",
    "cancer survivors", "university students", "patients with heart failure", "smokers", "infants", "mice",
)  # fmt: skip
_UP = ("increased", "raised", "was followed by an increase in", "led to higher")
_DOWN = ("reduced", "lowered", "was followed by a decrease in", "led to lower")
_BACKGROUND = (
    "The role of {t} in {p} remains controversial.", "Interest in {t} has grown in recent years.",
    "It has been hypothesised that {t} affects {o}.", "Whether {t} changes {o} is unclear.",
    "Earlier reports on {t} were inconsistent.", "Little is known about {t} in {p}.",
    "{o} is a major concern in {p}.", "Previous work was limited by small samples.",
)  # fmt: skip
_METHODS = (
    "We enrolled {n} participants at {c} centres.", "A total of {n} {p} were included.", "Participants were followed for {m} months.",
    "The primary outcome was {o}.", "Data were collected between {y} and {z}.", "Analyses were adjusted for age and sex.",
    "Medical records of {n} {p} were reviewed.", "Groups did not differ at baseline.", "Missing data were not imputed.",
)  # fmt: skip
_LIMITS = (
    "Larger trials are needed.", "The sample was small and not representative.", "No serious adverse events were observed.",
    "Adherence was not measured.", "The findings should be interpreted with caution.", "Longer follow-up is warranted.",
    "Costs were not assessed.", "The mechanism remains unknown.",
)  # fmt: skip
_FOUND = {
    "up": ("Compared with control, {t} {up} {o} (p = 0.0{d}).", "{o} was significantly higher in the group that received {t}.",
           "Treatment with {t} resulted in a {k}% increase in {o}.", "We observed a significant rise in {o} with {t} relative to placebo."),
    "down": ("Compared with control, {t} {down} {o} (p = 0.0{d}).", "{o} was significantly lower in the group that received {t}.",
             "Treatment with {t} resulted in a {k}% reduction in {o}.", "We observed a significant decline in {o} with {t} relative to placebo."),
    "null": ("There was no significant difference in {o} between {t} and placebo (p = 0.{k}).", "{t} did not significantly change {o}.",
             "{t} had no effect on {o} in {p}.", "We found no evidence that {t} alters {o}.",
             "{o} did not differ between the {t} group and the control group.", "The effect of {t} on {o} was not statistically significant."),
    "linked_up": ("{t} was associated with higher {o} (adjusted odds ratio 1.{k}).", "There was a positive correlation between {t} and {o}.",
                  "Exposure to {t} was an independent predictor of greater {o}."),
    "linked_down": ("{t} was associated with lower {o} (adjusted odds ratio 0.{k}).", "There was an inverse correlation between {t} and {o}.",
                    "In this cohort, {t} was linked to a decrease in {o}."),
    "hedged_up": ("Our results suggest that {t} may increase {o}.", "{t} could possibly raise {o}, although confidence intervals were wide."),
    "hedged_down": ("Our results suggest that {t} may reduce {o}.", "{t} could possibly lower {o}, although confidence intervals were wide."),
    "planned": ("This trial will evaluate whether {t} affects {o} in {p}.", "We aim to determine the effect of {t} on {o}.",
                "The study is designed to test if {t} changes {o}; results are expected in {z}.", "Future studies should examine {t} and {o}."),
    "unclear": ("There is insufficient evidence to determine whether {t} affects {o}.", "Data on {t} and {o} were inconclusive.",
                "It is not known whether {t} changes {o}."),
}  # fmt: skip
_SAYS = {
    "up": ("{t} increases {o}.", "{t} raises {o}.", "Using {t} leads to an increase in {o}.", "{t} makes {o} go up.", "{o} goes up with {t}."),
    "down": ("{t} reduces {o}.", "{t} lowers {o}.", "{t} decreases {o}.", "{o} goes down with {t}.", "{t} leads to a decrease in {o}."),
    "null": ("{t} has no effect on {o}.", "{t} does not change {o}.", "{o} is not affected by {t}.", "{t} made no significant difference to {o}.",
             "No significant effect of {t} on {o} was found."),
    "linked_up": ("{t} is associated with higher {o}.", "{t} and {o} are positively related.", "Higher {o} was seen with {t}."),
    "linked_down": ("{t} is associated with lower {o}.", "{t} and {o} are inversely related.", "Lower {o} was seen with {t}."),
    "hedged_up": ("{t} may increase {o}.", "It is possible that {t} raises {o}."),
    "hedged_down": ("{t} may reduce {o}.", "It is possible that {t} lowers {o}."),
    "certain_up": ("It has been proven that {t} increases {o}.", "{t} always increases {o}.", "There is no doubt that {t} raises {o}."),
    "certain_down": ("It has been proven that {t} reduces {o}.", "{t} always reduces {o}.", "There is no doubt that {t} lowers {o}."),
    "unclear": ("It is unclear whether {t} affects {o}.", "The evidence on {t} and {o} is inconclusive.", "The effect of {t} on {o} is not established."),
    "not_up": ("{t} does not increase {o}.", "{t} did not raise {o}."),
    "not_down": ("{t} does not reduce {o}.", "{t} did not lower {o}."),
}  # fmt: skip
S, C, N, U = SUPPORT, CONTRADICTION, NEUTRAL, UNSUPPORTED
_LABELS: dict[str, dict[str, int]] = {
    "up": {"up": S, "down": C, "null": C, "linked_up": S, "linked_down": C, "hedged_up": S, "not_up": C, "not_down": S, "certain_up": U},
    "down": {"down": S, "up": C, "null": C, "linked_down": S, "linked_up": C, "hedged_down": S, "not_down": C, "not_up": S, "certain_down": U},
    "null": {"null": S, "up": C, "down": C, "not_up": S, "not_down": S, "linked_up": C, "linked_down": C, "certain_up": C, "certain_down": C},
    "linked_up": {"linked_up": S, "linked_down": C, "up": N, "certain_up": U, "null": U, "down": C},
    "linked_down": {"linked_down": S, "linked_up": C, "down": N, "certain_down": U, "null": U, "up": C},
    "hedged_up": {"hedged_up": S, "certain_up": U, "certain_down": C, "up": U, "down": C, "not_up": U},
    "hedged_down": {"hedged_down": S, "certain_down": U, "certain_up": C, "down": U, "up": C, "not_down": U},
    "planned": {"up": N, "down": N, "null": N, "linked_up": N, "linked_down": N, "not_up": N, "not_down": N, "hedged_up": N, "certain_down": N},
    "unclear": {"unclear": S, "up": N, "down": N, "null": N, "not_up": N, "not_down": N, "certain_up": C, "certain_down": C, "linked_down": N},
}  # fmt: skip
_KEPT_WORDS = {"linked_up", "linked_down"}


_PLURAL = set(
    "supplements masks probiotics statins capsules closures inhibitors antibiotics patches levels "
    "scores admissions".split()
)
_AGREE = {
    "is": "are", "was": "were", "has": "have", "does": "do", "increases": "increase",
    "raises": "raise", "reduces": "reduce", "lowers": "lower", "decreases": "decrease",
    "leads": "lead", "makes": "make", "goes": "go", "affects": "affect", "changes": "change",
    "alters": "alter",
}  # fmt: skip
_SINGULAR = "|".join(_AGREE)


@dataclass(frozen=True)
class _Topic:
    treatment: str
    outcome: str
    people: str


def _topic(rng: random.Random) -> _Topic:
    return _Topic(rng.choice(_TREATMENTS), rng.choice(_OUTCOMES), rng.choice(_PEOPLE))


def _tell(form: str, topic: _Topic, rng: random.Random) -> str:
    values = {
        "t": topic.treatment, "o": topic.outcome, "p": topic.people, "n": f"{rng.randint(24, 4900):,}",
        "m": str(rng.randint(2, 36)), "c": str(rng.randint(2, 40)), "y": str(rng.randint(2001, 2012)),
        "z": str(rng.randint(2013, 2024)), "d": str(rng.randint(1, 4)), "k": str(rng.randint(11, 88)),
        "up": rng.choice(_UP), "down": rng.choice(_DOWN),
    }  # fmt: skip
    text = form
    for key, value in values.items():
        text = text.replace("{" + key + "}", value)
    text = re.sub(r"\b(lower|higher|greater) the\b", r"a \1", text)
    for noun in (topic.treatment, topic.outcome):
        if noun.endswith("s") and noun.split()[-1] in _PLURAL:
            text = re.sub(
                rf"({re.escape(noun)}) (?:(\w+ly|always|significantly) )?({_SINGULAR})\b",
                lambda m: " ".join(p for p in (m[1], m[2], _AGREE[m[3]]) if p),
                text,
                flags=re.IGNORECASE,
            )
    return text[0].upper() + text[1:]


def study_row(rng: random.Random) -> Row | None:
    """An abstract with one or two findings, and a claim on one, on none, or on other people."""
    topic, second = _topic(rng), _topic(rng)
    finding = rng.choice([*_FOUND, "null", "up", "down", "linked_up", "linked_down"])
    result = [_tell(rng.choice(_FOUND[finding]), topic, rng)]
    if rng.random() < 0.5 and second.outcome != topic.outcome:
        other = _Topic(topic.treatment, second.outcome, topic.people)
        clear = [f for f in _FOUND if f != finding]
        told = _tell(rng.choice(_FOUND[rng.choice(clear)]), other, rng)
        lead = rng.choice(["", "However, ", "In contrast, ", "In addition, "])
        fixed = told if told.startswith(("ACE",)) or not lead else told[0].lower() + told[1:]
        result.insert(rng.choice([0, 1]), lead + fixed if lead else told)
    if result[0].startswith(("However", "In contrast", "In addition")):
        result.reverse()
    parts = [
        [_tell(f, topic, rng) for f in rng.sample(_BACKGROUND, rng.choice([0, 1, 1, 2]))],
        [_tell(f, topic, rng) for f in rng.sample(_METHODS, rng.choice([0, 1, 2, 3]))],
        result,
        [_tell(f, topic, rng) for f in rng.sample(_LIMITS, rng.choice([0, 1, 1, 2]))],
    ]
    evidence = " ".join(s for part in parts for s in part)
    fate = rng.random()
    if fate < 0.16:
        return _elsewhere(topic, second, finding, evidence, rng)
    said = _balanced(_LABELS[finding], rng)
    claim = _tell(rng.choice(_SAYS[said]), topic, rng)
    label = _LABELS[finding][said]
    if rng.random() < 0.25:
        claim = f"{claim.rstrip('.')} in {topic.people}."
        if topic.people not in evidence:
            return None
    return Row(evidence, claim, label, f"study_{finding}")


def _balanced(labels: dict[str, int], rng: random.Random) -> str:
    """A thing to say, each label about as likely as the other."""
    label = rng.choice(sorted(set(labels.values())))
    return rng.choice([k for k, v in labels.items() if v == label])


def _elsewhere(
    topic: _Topic, second: _Topic, finding: str, evidence: str, rng: random.Random
) -> Row | None:
    """A claim on another treatment, another outcome or other people: not addressed."""
    which = rng.choice(["treatment", "outcome", "people"])
    said = rng.choice([k for k, v in _LABELS[finding].items() if v in (SUPPORT, CONTRADICTION)]
                      or ["up", "down"])  # fmt: skip
    if which == "treatment":
        changed = _Topic(second.treatment, topic.outcome, topic.people)
    elif which == "outcome":
        changed = _Topic(topic.treatment, second.outcome, topic.people)
    else:
        changed = topic
    claim = _tell(rng.choice(_SAYS[said]), changed, rng)
    if which == "people":
        if second.people == topic.people or topic.people not in evidence:
            return None
        claim = f"{claim.rstrip('.')} in {second.people}."
    elif changed == topic or (which == "treatment" and changed.treatment in evidence) or (
        which == "outcome" and changed.outcome.lower() in evidence.lower()
    ):  # fmt: skip
        return None
    return Row(evidence, claim, NEUTRAL, f"study_other_{which}")
