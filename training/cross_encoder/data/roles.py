"""Who did what to whom: relations told from either side, turned round, denied or not told."""
# ruff: noqa: E501  (tables of sentences are easier to read one entry a line)

from __future__ import annotations

import random

from data.marks import CLOSE, OPEN, unmark
from data.profiles import company, person
from data.rows import CONTRADICTION, NEUTRAL, SUPPORT, Row
from data.verbs import negated
from data.vocabulary import PLACES

_PAIRS = (
    ("the landlord", "the tenant"), ("the employer", "the employee"), ("the buyer", "the seller"),
    ("the lender", "the borrower"), ("the bank", "the customer"), ("the publisher", "the author"),
    ("the insurer", "the policyholder"), ("the contractor", "the client"),
    ("the provider", "the subscriber"), ("the company", "the user"), ("the clinic", "the patient"),
    ("the carrier", "the passenger"), ("the school", "the parents"), ("the union", "the council"),
    ("the supplier", "the retailer"), ("the licensor", "the licensee"),
    ("the shareholder", "the board"), ("the agency", "the applicant"),
)  # fmt: skip
_DUTIES = (
    ("{a} must pay {b} {v} a month.", "{b} is paid {v} a month by {a}.", "{b} receives {v} a month from {a}."),
    ("{a} shall notify {b} in writing within {n} days.", "{b} must be notified by {a} within {n} days.",
     "Within {n} days, {a} has to send {b} a written notice."),
    ("{a} may terminate the contract if {b} is late with a payment.", "If {b} is late with a payment, {a} can end the contract.",
     "A late payment by {b} allows {a} to end the contract."),
    ("{a} owes {b} {v}.", "{b} is owed {v} by {a}.", "{a} has a debt of {v} to {b}."),
    ("{a} is liable for damage caused to {b}.", "{b} can hold {a} liable for damage.", "Damage to {b} is the responsibility of {a}."),
    ("{a} provides {b} with a copy of the records.", "{b} is given a copy of the records by {a}.", "{b} gets a copy of the records from {a}."),
    ("{a} must reimburse {b} for travel costs.", "{b} is reimbursed by {a} for travel costs.", "Travel costs of {b} are paid back by {a}."),
    ("{a} needs the written consent of {b}.", "{b} has to give {a} written consent.", "Written consent of {b} is required from {a}'s side."),
    ("{a} filed a complaint against {b}.", "{b} was the subject of a complaint by {a}.", "A complaint against {b} was filed by {a}."),
    ("{a} sent {b} a reminder after {n} days.", "After {n} days, {b} got a reminder from {a}.", "A reminder was sent by {a} to {b} after {n} days."),
    ("{a} lent {b} {v}.", "{b} borrowed {v} from {a}.", "{b} received a loan of {v} from {a}."),
    ("{a} sold the equipment to {b} for {v}.", "{b} bought the equipment from {a} for {v}.", "The equipment went from {a} to {b} for {v}."),
    ("{a} granted {b} an extension of {n} days.", "{b} was granted an extension of {n} days by {a}.", "{b} obtained {n} more days from {a}."),
)  # fmt: skip
_PEOPLE = (
    ("{a} defeated {b} in the final.", "{b} lost the final to {a}.", "{b} was beaten by {a} in the final."),
    ("{a} hired {b} in {y}.", "{b} was hired by {a} in {y}.", "In {y}, {b} got a job from {a}."),
    ("{a} accused {b} of fraud.", "{b} was accused of fraud by {a}.", "{b} faced an accusation of fraud from {a}."),
    ("{a} taught {b} to paint.", "{b} learned to paint from {a}.", "{b} was taught painting by {a}."),
    ("{a} interviewed {b} in {p}.", "{b} was interviewed by {a} in {p}.", "{b} gave {a} an interview in {p}."),
    ("{a} replaced {b} as coach in {y}.", "{b} was replaced by {a} as coach in {y}.", "{b} made way for {a} as coach in {y}."),
    ("{a} was the mentor of {b}.", "{b} was mentored by {a}.", "{b} had {a} as a mentor."),
    ("{a} introduced {b} to the producer.", "{b} was introduced to the producer by {a}.", "{b} met the producer through {a}."),
    ("{a} blamed {b} for the delay.", "{b} was blamed for the delay by {a}.", "According to {a}, {b} was to blame for the delay."),
    ("{a} invited {b} to {p}.", "{b} was invited to {p} by {a}.", "{b} received an invitation to {p} from {a}."),
    ("{a} rescued {b} from the fire.", "{b} was saved from the fire by {a}.", "{b} owes {a} the rescue from the fire."),
    ("{a} succeeded {b} as mayor of {p}.", "{b} was succeeded by {a} as mayor of {p}.", "{b} was mayor of {p} before {a}."),
    ("{a} overtook {b} on the last lap.", "{b} was overtaken by {a} on the last lap.", "On the last lap, {b} fell behind {a}."),
    ("{a} gave {b} the documents.", "{b} received the documents from {a}.", "The documents were handed to {b} by {a}."),
    ("{a} inherited the house from {b}.", "{b} left the house to {a}.", "The house passed from {b} to {a}."),
    ("{a} sold the painting to {b} in {y}.", "{b} bought the painting from {a} in {y}.", "In {y} the painting went from {a} to {b}."),
    ("{a} criticised {b} sharply.", "{b} was sharply criticised by {a}.", "{b} drew sharp criticism from {a}."),
    ("{a} is {n} years older than {b}.", "{b} is {n} years younger than {a}.", "{b} was born {n} years after {a}."),
    ("{a} arrived before {b}.", "{b} arrived after {a}.", "{b} came later than {a}."),
    ("{a} finished ahead of {b}.", "{b} finished behind {a}.", "{b} was slower than {a}."),
    ("{a} reports to {b}.", "{b} is the manager of {a}.", "{b} supervises {a}."),
)  # fmt: skip
_FIRMS = (
    ("{a} acquired {b} for {v}.", "{b} was bought by {a} for {v}.", "{b} was taken over by {a} in a deal worth {v}."),
    ("{a} sued {b} over a patent.", "{b} was sued by {a} over a patent.", "{b} was taken to court by {a} over a patent."),
    ("{a} supplies batteries to {b}.", "{b} gets its batteries from {a}.", "{b} buys batteries from {a}."),
    ("{a} invested {v} in {b}.", "{b} received an investment of {v} from {a}.", "{b} raised {v} from {a}."),
    ("{a} licensed the software to {b}.", "{b} uses the software under a licence from {a}.", "{b} licensed the software from {a}."),
    ("{a} reported higher sales than {b}.", "{b} sold less than {a}.", "The sales of {b} were lower than those of {a}."),
    ("{a} is a subsidiary of {b}.", "{b} is the parent company of {a}.", "{b} owns {a}."),
    ("{a} outbid {b} for the contract.", "{b} was outbid by {a} for the contract.", "{b} lost the contract to {a}."),
    ("{a} paid {b} damages of {v}.", "{b} received damages of {v} from {a}.", "{b} was paid {v} in damages by {a}."),
    ("{a} spun off {b} in {y}.", "{b} was spun off from {a} in {y}.", "In {y}, {b} was separated from {a}."),
)  # fmt: skip
_STATES = (
    ("{a} exports timber to {b}.", "{b} imports timber from {a}.", "{b} buys timber from {a}."),
    ("{a} invaded {b} in {y}.", "{b} was invaded by {a} in {y}.", "In {y}, the army of {a} entered {b}."),
    ("{a} beat {b} by {n} points.", "{b} lost to {a} by {n} points.", "{b} was beaten by {a} by {n} points."),
    ("{a} lies to the north of {b}.", "{b} lies to the south of {a}.", "{b} is south of {a}."),
    ("{a} has a larger population than {b}.", "Fewer people live in {b} than in {a}.", "{b} has fewer inhabitants than {a}."),
    ("{a} accepted refugees from {b}.", "Refugees from {b} were taken in by {a}.", "People who fled {b} were accepted by {a}."),
    ("{a} recognised {b} in {y}.", "{b} was recognised by {a} in {y}.", "In {y}, {b} gained recognition from {a}."),
    ("The train goes from {a} to {b}.", "The train leaves {a} and arrives in {b}.", "{b} is where the train from {a} arrives."),
    ("{a} ceded the territory to {b} in {y}.", "{b} was given the territory by {a} in {y}.", "In {y}, {b} obtained the territory from {a}."),
)  # fmt: skip
_SCENES = (
    "The dealings between {a} and {b} went back {m} years.", "Talks between {a} and {b} took place in {p}.",
    "{b} declined to comment.", "{a} declined to comment.", "A spokesman for {b} did not return calls.",
    "Both {a} and {b} were mentioned in the report.", "The matter was first raised in {y}.",
    "{b} had not expected this.", "{a} published a short statement.", "Observers were not surprised.",
    "The details were never made public.", "It took {m} weeks to settle the question.",
    "{c} was also present.", "{c} spoke to both {a} and {b}.", "{a} and {c} did not attend the hearing.",
    "Neither {a} nor {c} had been informed.", "{c} later wrote a book about {b}.",
    "The meeting was held without {c}.", "{a}, {b} and {c} signed the record of the meeting.",
)  # fmt: skip
_CLAUSES = (
    "This section applies without limitation in time.", "Either side can ask for a copy of the agreement.",
    "{a} and {b} agreed on these terms in {y}.", "{b} keeps a record of all letters.",
    "Nothing in this section limits the rights of {a}.", "Disputes between {a} and {b} go to the court in {p}.",
    "The agreement runs for {m} years and is not renewed automatically.", "{a} may be represented by a lawyer.",
    "The address of {b} is given in the annex.", "No fee is charged for the first {m} weeks.",
    "{b} confirms that the information is complete.", "Changes are valid only in writing.",
)  # fmt: skip


# One side excludes the other, so that the turned relation denied is true.
_ONE_WAY = ("defeated", "older", "before", "ahead", "higher sales", "subsidiary", "overtook",
            "outbid", "reports to", "north", "larger", "acquired", "beat ", "succeeded",
            "replaced")  # fmt: skip


def _fill(form: str, names: dict[str, str]) -> str:
    text = form
    for key, value in names.items():
        text = text.replace("{" + key + "}", value)
    return text[0].upper() + text[1:] if text[0] != OPEN else OPEN + text[1].upper() + text[2:]


def role_row(rng: random.Random) -> Row | None:
    """Evidence of several sentences on two parties, and a claim on what one did to the other."""
    choice = rng.random()
    duties = choice < 0.3
    if duties:
        forms, scenes = rng.sample(_DUTIES, 2), _CLAUSES
        a, b = rng.sample(rng.choice(_PAIRS), 2)
        c = person(rng)
    else:
        make, table = (
            (person, _PEOPLE) if choice < 0.65 else (company, _FIRMS) if choice < 0.85
            else (lambda r: r.choice(PLACES), _STATES)
        )  # fmt: skip
        forms, scenes = rng.sample(table, 2), _SCENES
        a, b, c = make(rng), make(rng), person(rng)
    if set(a.split()) & set(b.split()) - {"the"} or c in (a, b):
        return None
    names = {
        "a": a, "b": b, "c": c, "n": str(rng.randint(3, 60)), "m": str(rng.randint(2, 14)),
        "y": str(rng.randint(1950, 2023)), "p": rng.choice(PLACES),
        "v": f"${rng.choice([rng.randint(2, 90) * 100, rng.randint(1, 40) * 1000]):,}",
    }  # fmt: skip
    turned_names = {**names, "a": f"{OPEN}{b}{CLOSE}", "b": f"{OPEN}{a}{CLOSE}"}
    told_form = rng.choice(forms[0])
    told = _fill(told_form, names)
    others = [_fill(s, names) for s in rng.sample(scenes, rng.randint(0, 6))]
    if rng.random() < 0.4:
        others.append(_fill(rng.choice(forms[1]), names))
    fate = rng.choices(("kept", "turned", "denied", "turned_denied", "untold"), (32, 30, 7, 9, 22))[
        0
    ]
    claim_form = rng.choice(
        [f for f in forms[0] if f != told_form or rng.random() < 0.3] or forms[0]
    )
    if fate == "turned_denied" and not any(w in forms[0][0] for w in _ONE_WAY):
        return None
    source = turned_names if fate.startswith("turned") else names
    deny = fate.endswith("denied")
    if fate == "untold":
        others = others or [_fill(s, names) for s in rng.sample(scenes, 2)]
        source, deny = rng.choice([names, turned_names]), rng.random() < 0.35
    claim = _fill(claim_form, source)
    if deny:
        plain = claim.replace(OPEN, "").replace(CLOSE, "")
        changed = negated(plain, rng)
        if changed is None or "longer" in changed[0] or "never" in changed[0]:
            return None
        claim = changed[0]
    unmarked = unmark(claim)
    if unmarked is None:
        return None
    evidence = others if fate == "untold" else [told, *others]
    rng.shuffle(evidence)
    label = {"kept": SUPPORT, "turned_denied": SUPPORT, "untold": NEUTRAL}.get(fate, CONTRADICTION)
    wrong = unmarked[1] if label == CONTRADICTION else [] if label == SUPPORT else None
    return Row(_pieces(evidence, rng), unmarked[0], label, f"role_{fate}", "", wrong, None)


def _pieces(told: list[str], rng: random.Random) -> str:
    if len(told) > 3 and rng.random() < 0.4:
        cut = rng.randint(1, len(told) - 1)
        return f"{' '.join(told[:cut])} | {' '.join(told[cut:])}"
    return " ".join(told)
