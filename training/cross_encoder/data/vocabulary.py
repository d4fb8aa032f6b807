"""Word lists of the generators. Pairs are written once and read in both directions."""
# ruff: noqa: SIM905  (a split string is easier to read and to extend than a list)

from __future__ import annotations


def _pairs(text: str) -> dict[str, list[str]]:
    table: dict[str, list[str]] = {}
    for item in text.replace("\n", ",").split(","):
        if "/" not in item:
            continue
        forms = [form.strip() for form in item.split("/")]
        for form in forms:
            table.setdefault(form, []).extend(f for f in forms if f != form)
    return table


# Putting one for the other turns a statement into its opposite.
ANTONYMS = _pairs("""
first/last, largest/smallest, biggest/smallest, highest/lowest, oldest/youngest, longest/shortest,
best/worst, most/least, more/fewer, more/less, increased/decreased, increase/decrease, rose/fell,
increasing/decreasing, higher/lower, larger/smaller, greater/smaller, older/younger,
northern/southern, eastern/western, north/south, east/west, northeast/southwest,
northwest/southeast, before/after, above/below, inside/outside, won/lost, winning/losing,
accepted/rejected, approved/rejected, allowed/forbidden, legal/illegal, possible/impossible,
public/private, male/female, men/women, man/woman, boy/girl, brother/sister, father/mother,
son/daughter, husband/wife, early/late, earlier/later, opened/closed, open/closed, began/ended,
begins/ends, started/stopped, entered/left, bought/sold, buy/sell, strong/weak, rich/poor, hot/cold,
warm/cool, wet/dry, young/old, new/old, modern/ancient, major/minor, majority/minority,
positive/negative, success/failure, successful/unsuccessful, popular/unpopular, safe/dangerous,
included/excluded, includes/excludes, with/without, agreed/disagreed, supported/opposed,
supports/opposes, praised/criticized, good/bad, always/never, all/none of the, many/few,
internal/external, upper/lower, left/right, summer/winter, spring/autumn, day/night,
morning/evening, victory/defeat, war/peace, friend/enemy, attacked/defended, gained/lost,
added/removed, created/destroyed, built/demolished, permanent/temporary, required/optional,
urban/rural, rare/common, full/empty, ally/enemy, joined/left, married/divorced, black/white,
arrived/departed, upstream/downstream, import/export, imports/exports, domestic/foreign,
before/following, remained/ceased, faster/slower, heavier/lighter, hired/fired, gave/took,
teacher/student, employer/employee, single/double, wide/narrow, deep/shallow, easy/difficult
""")

# Putting one for the other keeps the meaning.
SYNONYMS = _pairs("""
film/movie, movie/motion picture, began/started, begins/starts, big/large, made up of/composed of,
show/series, television/TV, near/close to, wrote/authored,
purchased/bought, obtained/got, located in/situated in, located in/found in, about/approximately,
around/approximately, over/more than, nearly/almost, famous/well known, United States/U.S.,
United States/US, United Kingdom/UK, children/kids, assist/help, help/aid, requires/needs,
require/need, numerous/many, currently/at present, ended/finished, ended/concluded, shown/displayed,
chief executive officer/CEO, attempted/tried, attempt/try, due to/because of, while/whereas,
permitted/allowed, constructed/built, residents/inhabitants, received/was given, main/principal,
primarily/mainly, mostly/mainly, several/a number of, often/frequently, usually/typically,
important/significant, died/passed away, employed/hired, created/made,
established/founded, launched/introduced, area/region, buy/purchase, quickly/rapidly, leave/depart,
prior to/before, subsequently/later, initially/at first, roughly/about
""")

NUMBERS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty"
).split()
TENS = {
    30: "thirty",
    40: "forty",
    50: "fifty",
    60: "sixty",
    70: "seventy",
    80: "eighty",
    90: "ninety",
}
ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth".split()
MONTHS = (
    "January February March April May June July August September October November December"
).split()
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()

PLACES = (
    "France Germany Italy Spain Portugal England Scotland Wales Ireland Norway Sweden Denmark "
    "Finland Poland Austria Hungary Greece Turkey Russia Ukraine Romania Bulgaria Serbia Croatia "
    "China Japan Korea India Pakistan Bangladesh Nepal Thailand Vietnam Malaysia Singapore "
    "Indonesia Australia Canada Mexico Brazil Argentina Chile Peru Colombia Venezuela Cuba Egypt "
    "Morocco Algeria Tunisia Nigeria Ghana Kenya Ethiopia Uganda Israel Lebanon Syria Iraq Iran "
    "London Paris Berlin Rome Madrid Lisbon Vienna Budapest Prague Warsaw Moscow Athens Istanbul "
    "Cairo Nairobi Lagos Mumbai Delhi Kolkata Beijing Shanghai Tokyo Osaka Kyoto Seoul Bangkok "
    "Jakarta Manila Sydney Melbourne Toronto Montreal Vancouver Ottawa Chicago Boston Seattle "
    "Houston Dallas Miami Denver Atlanta Philadelphia Detroit Cleveland California Texas Florida "
    "Ohio Oregon Alaska Hawaii Virginia Georgia Michigan Illinois Arizona Nevada Utah Colorado "
    "Europe Asia Africa Naples Milan Turin Venice Florence Valencia Seville Bilbao Munich Hamburg "
    "Cologne Frankfurt Leipzig Zurich Geneva Brussels Antwerp Amsterdam Rotterdam Oslo Stockholm "
    "Copenhagen Helsinki Dublin Edinburgh Glasgow Manchester Liverpool Birmingham Bristol Leeds"
).split()
NATIONS = (
    "American British French German Italian Spanish Portuguese Irish Scottish Norwegian Swedish "
    "Danish Finnish Polish Austrian Hungarian Greek Turkish Russian Ukrainian Romanian Bulgarian "
    "Chinese Japanese Korean Indian Pakistani Thai Vietnamese Australian Canadian "
    "Mexican Brazilian "
    "Argentine Chilean Peruvian Colombian Cuban Egyptian Moroccan Nigerian Kenyan Israeli Iranian"
).split()
FIRST_NAMES = (
    "James Mary John Patricia Robert Jennifer Michael Linda William Elizabeth David Barbara "
    "Richard Susan Joseph Jessica Thomas Sarah Charles Karen Christopher Lisa Daniel Nancy Matthew "
    "Anthony Sandra Mark Ashley Donald Emily Steven Kimberly Paul Donna Andrew Michelle Joshua "
    "Carol Kevin Amanda Brian Melissa George Deborah Edward Stephanie Ronald Rebecca Timothy Laura "
    "Jason Helen Jeffrey Sharon Ryan Cynthia Jacob Kathleen Gary Amy Nicholas Angela Eric Anna "
    "Stephen Ruth Larry Brenda Justin Nicole Scott Samantha Brandon Frank Gregory "
    "Emma Samuel Rachel "
    "Patrick Virginia Alexander Maria Jack Heather Dennis Diane Jerry Julie Tyler Joyce Aaron "
    "Victoria Henry Kelly Douglas Christina Peter Joan Adam Evelyn Nathan Lauren Walter Judith "
    "Kyle Olivia Harold Frances Carl Martha Arthur Cheryl Roger Megan Keith Andrea Jeremy Ann Sean "
    "Hannah Juan Carlos Luis Ana Sofia Lucia Marco Giulia Luca Chiara Hans Klaus Ingrid Pierre "
    "Claire Yuki Hiroshi Kenji Sakura Wei Li Ming Priya Raj Amit Fatima Omar Ahmed Olga Ivan Boris"
).split()
LAST_NAMES = (
    "Smith Johnson Williams Brown Jones Garcia Miller Davis Rodriguez Martinez Hernandez Lopez "
    "Gonzalez Wilson Anderson Taylor Moore Jackson Martin Lee Perez Thompson White Harris Sanchez "
    "Clark Ramirez Lewis Robinson Walker Young Allen King Wright Torres Nguyen Hill Flores Green "
    "Adams Nelson Baker Hall Rivera Campbell Mitchell Carter Roberts Gomez Phillips Evans Turner "
    "Diaz Parker Cruz Edwards Collins Reyes Stewart Morris Morales Murphy Cook Rogers Gutierrez "
    "Ortiz Morgan Cooper Peterson Bailey Reed Kelly Howard Ramos Kim Cox Ward Richardson Watson "
    "Brooks Chavez Wood Bennett Gray Mendoza Ruiz Hughes Price Alvarez Castillo "
    "Sanders Patel Myers "
    "Long Ross Foster Rossi Bianchi Ferrari Moreau Laurent Dubois Schmidt Weber Fischer Novak "
    "Kowalski Tanaka Suzuki Sato Chen Wang Zhang Singh Sharma Gupta Haddad Ivanov Petrov Larsen"
).split()
ORGANISATION_TAILS = set(
    "University College Institute Company Corporation Inc Ltd Records Pictures "
    "Studios Party Church "
    "Council Committee Agency Association Club United School Museum Bank Group Press Times Army "
    "Navy Department Ministry Court League Foundation Society Orchestra Entertainment".split()
)
OPENERS = set(
    "The A An In On At It He She They This That These Those When While After Before During As But "
    "And For From By With Although However Since If There Its His Her Their Some "
    "Many Most All Both "
    "Each Other Another One Two Three No Not To Of Also Despite Because Under Over Through Until "
    "According Such Later Early I We You What Who Where Which How Why Is Are Was Were Do Does Did "
    "Additionally Furthermore Moreover Then Now Today Only Even So Yet Or".split()
)
