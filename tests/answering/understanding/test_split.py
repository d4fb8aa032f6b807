"""Questions that ask two things."""

from __future__ import annotations

import pytest

from toulmin.answering.understanding.split import parts_of, without_topic


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (
            "What does the Kestrel 300 cost and how long is its delivery?",
            ("What does the Kestrel 300 cost?", "How long is the Kestrel 300's delivery?"),
        ),
        (
            "When was the Bergen branch opened, and who manages it?",
            ("When was the Bergen branch opened?", "Who manages the Bergen branch?"),
        ),
        (
            "Who founded Tarn Instruments and when?",
            ("Who founded Tarn Instruments?", "When was Tarn Instruments founded?"),
        ),
        ("Who wrote the rules, and why?", ("Who wrote the rules?", "Why were the rules written?")),
        ("Who sold them and where?", ("Who sold them?", "Where were they sold?")),
        ("Who moved to Bergen and when?", ("Who moved to Bergen?", "When (moved to Bergen)?")),
        ("Who can enter the hall and when?", ("Who can enter the hall?", "When (can enter the hall)?")),
        ("Where was Ada born and when?", ("Where was Ada born?", "When was Ada born?")),
        ("How heavy is the gate and why?", ("How heavy is the gate?", "Why is the gate?")),
        ("What did Ada build and why?", ("What did Ada build?", "Why did Ada build?")),
        ("Which plan does Ada use and why?", ("Which plan does Ada use?", "Why does Ada use (plan)?")),
        ("Where's the fair and when?", ("Where's the fair?", "When's the fair?")),
        (
            "Who built the mill and when and where?",
            ("Who built the mill?", "When was the mill built?", "Where was the mill built?"),
        ),
        ("What time does it start and where?", ("What time does it start?", "Where does it start?")),
        ("Where's the office and when's it open?", ("Where's the office?", "When's the office open?")),
        ("What is a gasket and where else is it used?", ("What is a gasket?", "Where else is a gasket used?")),
        (
            "Who is the head of sales and who is the director?",
            ("Who is the head of sales?", "Who is the director?"),
        ),
        (
            "Who was the architect of the Elbe Bridge and who was the director?",
            (
                "Who was the architect of the Elbe Bridge?",
                "Who was the director (the architect of the Elbe Bridge)?",
            ),
        ),
        (
            "How many rooms does the museum have and are dogs allowed?",
            ("How many rooms does the museum have?", "Are dogs allowed (the museum)?"),
        ),
        (
            "When was the hall opened and is it heated?",
            ("When was the hall opened?", "Is the hall heated?"),
        ),
        ("When and where was Ada born?", ("When was Ada born?", "where was Ada born?")),
    ],
)  # fmt: skip
def test_each_part_stands_alone(question, parts):
    assert tuple(part.casefold() for part in parts_of(question)) == tuple(
        part.casefold() for part in parts
    )


@pytest.mark.parametrize(
    "question",
    [
        "Who built the bridge?",
        "What do research and development cost?",
        "Tell me about the bridge and who built it.",
        "",
        "and",
        "Wann und wo wurde Ada geboren?",
        "What is the rule for where and when?",
        "What is and is not allowed?",
        "Which dogs are and are not allowed?",
        "How to sort and do the laundry",
        "What can guests bring and have the staff store?",
        "How do I stop the pump and where needed drain it?",
        "Who knows where it is and when it opens?",
        "What is open and when _?",
        "Who a and who b and who c and who d and who e?",
    ],
)
def test_other_questions_stay_whole(question):
    assert parts_of(question) == (question,)


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (
            "ケストレル300の価格はいくらで、納期はどのくらいですか？",
            ("ケストレル300の価格はいくらですか？", "ケストレル300の納期はどのくらいですか？"),
        ),
        (
            "ベルゲン支店はいつ開設され、誰が管理していますか？",
            ("ベルゲン支店はいつ開設されましたか？", "ベルゲン支店は誰が管理していますか？"),
        ),
        (
            "バーン橋はいつ開通し、長さはどのくらいですか？",
            ("バーン橋はいつ開通しましたか？", "バーン橋の長さはどのくらいですか？"),
        ),
        (
            "ケストレル300の価格はいくらですか？また、納期はどのくらいですか？",
            ("ケストレル300の価格はいくらですか？", "ケストレル300の納期はどのくらいですか？"),
        ),
        (
            "本社はどこで、社長は誰ですか？",
            ("本社はどこですか？", "本社の社長は誰ですか？"),
        ),
        (
            "ケストレル300の価格と納期を教えてください。",
            ("ケストレル300の価格を教えてください。", "ケストレル300の納期を教えてください。"),
        ),
        (
            "会議はいつからで、参加費はいくらですか？",
            ("会議はいつからですか？", "会議の参加費はいくらですか？"),
        ),
        (
            "ケストレル300の価格と納期はそれぞれどのくらいですか？",
            ("ケストレル300の価格はどのくらいですか？", "ケストレル300の納期はどのくらいですか？"),
        ),
        (
            "エイダはいつ、どこで生まれましたか？",
            ("エイダはいつ生まれましたか？", "エイダはどこで生まれましたか？"),
        ),
    ],
)
def test_each_part_of_a_japanese_line_stands_alone(question, parts):
    assert parts_of(question) == parts


@pytest.mark.parametrize(
    "question",
    [
        "誰がこの橋を設計しましたか？",
        "雨の日は、どこで待てばいいですか？",
        "ケストレル300の価格はいくらですか？",
        "ケストレル300とケストレル500の価格はいくらですか？",
        "何か問題があった場合、誰に連絡すればよいですか？",
        "いつでも使えますか、それとも何か条件がありますか？",
        "価格、納期、保証",
        "アムハラ語を事実上の公用語としている国はどこですか。",
        "図書館の延床面積と敷地面積はどちらが狭いですか？",
        "ラオスの山林にはチークなどの木材が豊富だが、伐採したのはいつですか？",
        "事件のきっかけとなった法律は何ですか？",
        "『シェイクスピアはどこにいる?』を書いたのは誰ですか。",
        "ウィルスはどの程度の期間生存できるかにおいて数時間と言ったのは、どの機関ですか？",
        "イングランドでは、支配権のほかに、何と呼ばれる、どの国の慣習がありましたか？",
        "荷物はいつ届くか、誰に聞けばいいですか？",
    ],
)
def test_other_japanese_questions_stay_whole(question):
    assert parts_of(question) == (question,)


@pytest.mark.parametrize(
    ("part", "own"),
    [
        ("Who leads the team (days of leave, staff)?", "Who leads the team?"),
        ("Who leads the team?", "Who leads the team?"),
    ],
)
def test_a_part_in_its_own_words(part, own):
    assert without_topic(part) == own
