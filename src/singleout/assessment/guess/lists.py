"""Closed lists: sexes, countries, large places and first names; codes of known surveys."""

from __future__ import annotations

__all__ = ["COUNTED", "COUNTRIES", "FIRST_NAMES", "PLACES", "SEXES", "SURVEYS"]


def _words(text: str, between: str = ", ") -> frozenset[str]:
    return frozenset(text.split(between))


# Two of these, of different kinds, make a column of sexes.
SEXES: dict[str, str] = {
    word: kind
    for kind, words in {
        "man": "m, male, man, mann, mannlich, maennlich, mannelijk, homme, h, masculin, hombre, "
        "masculino, varon, boy, men, males",
        "woman": "f, female, woman, frau, w, weiblich, vrouw, v, vrouwelijk, femme, feminin, "
        "mujer, femenino, girl, women, females",
        "other": "x, d, divers, other, autre, anders, otro, nonbinary, non binary, diverse, o",
    }.items()
    for word in _words(words)
}

# ISO 3166: the codes of two letters, those of three, and common names in five languages.
COUNTRIES = (
    _words(
        "ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bl bm bn bo bq "
        "br bs bt bv bw by bz ca cc cd cf cg ch ci ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm "
        "do dz ec ee eg eh er es et fi fj fk fm fo fr ga gb gd ge gf gg gh gi gl gm gn gp gq gr gs "
        "gt gu gw gy hk hm hn hr ht hu id ie il im in io iq ir is it je jm jo jp ke kg kh ki km kn "
        "kp kr kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc md me mf mg mh mk ml mm mn mo mp mq "
        "mr ms mt mu mv mw mx my mz na nc ne nf ng ni nl no np nr nu nz om pa pe pf pg ph pk pl pm "
        "pn pr ps pt pw py qa re ro rs ru rw sa sb sc sd se sg sh si sj sk sl sm sn so sr ss st sv "
        "sx sy sz tc td tf tg th tj tk tl tm tn to tr tt tv tw tz ua ug um us uy uz va vc ve vg vi "
        "vn vu wf ws xk ye yt za zm zw uk el",
        " ",
    )
    | _words(
        "afg alb dza and ago arg arm aus aut aze bhs bhr bgd brb blr bel blz ben btn bol bih bwa "
        "bra brn bgr bfa bdi cpv khm cmr can caf tcd chl chn col com cog cod cri civ hrv cub cyp "
        "cze dnk dji dma dom ecu egy slv gnq eri est swz eth fji fin fra gab gmb geo deu gha grc "
        "grd gtm gin gnb guy hti hnd hun isl ind idn irn irq irl isr ita jam jpn jor kaz ken kir "
        "prk kor kwt kgz lao lva lbn lso lbr lby lie ltu lux mdg mwi mys mdv mli mlt mhl mrt mus "
        "mex fsm mda mco mng mne mar moz mmr nam nru npl nld nzl nic ner nga mkd nor omn pak plw "
        "pan png pry per phl pol prt qat rou rus rwa kna lca vct wsm smr stp sau sen srb syc sle "
        "sgp svk svn slb som zaf ssd esp lka sdn sur swe che syr twn tjk tza tha tls tgo ton tto "
        "tun tur tkm tuv uga ukr are gbr usa ury uzb vut ven vnm yem zmb zwe",
        " ",
    )
    | _words(
        "afghanistan, albania, algeria, angola, argentina, armenia, australia, austria, "
        "azerbaijan, bangladesh, belarus, belgium, bolivia, bosnia and herzegovina, brazil, "
        "bulgaria, cambodia, cameroon, canada, chile, china, colombia, congo, costa rica, croatia, "
        "cuba, cyprus, czech republic, czechia, denmark, dominican republic, ecuador, egypt, "
        "el salvador, england, estonia, ethiopia, finland, france, georgia, germany, ghana, "
        "greece, guatemala, haiti, honduras, hong kong, hungary, iceland, india, indonesia, iran, "
        "iraq, ireland, israel, italy, ivory coast, jamaica, japan, jordan, kazakhstan, kenya, "
        "korea, kosovo, laos, latvia, lebanon, libya, lithuania, luxembourg, malaysia, mali, "
        "malta, mexico, moldova, mongolia, montenegro, morocco, myanmar, nepal, netherlands, "
        "new zealand, nicaragua, nigeria, north macedonia, norway, pakistan, panama, paraguay, "
        "peru, philippines, poland, portugal, puerto rico, romania, russia, rwanda, "
        "saudi arabia, scotland, senegal, serbia, singapore, slovakia, slovenia, somalia, "
        "south africa, south korea, spain, sri lanka, sudan, suriname, sweden, switzerland, syria, "
        "taiwan, tanzania, thailand, the netherlands, tunisia, turkey, uganda, ukraine, "
        "united kingdom, united states, united states of america, uruguay, uzbekistan, venezuela, "
        "vietnam, wales, yemen, zambia, zimbabwe, andorra, bahamas, bahrain, barbados, belize, "
        "benin, bhutan, botswana, brunei, burkina faso, burundi, cape verde, "
        "central african republic, chad, comoros, djibouti, dominica, equatorial guinea, eritrea, "
        "eswatini, fiji, gabon, gambia, grenada, guinea, guinea bissau, guyana, kuwait, "
        "kyrgyzstan, lesotho, liberia, liechtenstein, madagascar, malawi, maldives, mauritania, "
        "mauritius, monaco, mozambique, namibia, niger, oman, palestine, papua new guinea, qatar, "
        "san marino, seychelles, sierra leone, south sudan, tajikistan, timor leste, togo, "
        "trinidad and tobago, turkmenistan, united arab emirates, vatican, "
        "afrique du sud, algerie, allemagne, angleterre, argentine, autriche, belgique, bresil, "
        "bulgarie, cameroun, chine, colombie, coree du sud, croatie, danemark, egypte, espagne, "
        "etats unis, grece, hongrie, inde, irlande, italie, japon, liban, maroc, mexique, norvege, "
        "pays bas, perou, pologne, republique tcheque, roumanie, royaume uni, russie, serbie, "
        "suede, suisse, syrie, tchequie, tunisie, turquie, vietnam, "
        "agypten, algerien, argentinien, belgien, brasilien, bulgarien, danemark, deutschland, "
        "frankreich, griechenland, grossbritannien, indien, irland, italien, kanada, kolumbien, "
        "kroatien, marokko, mexiko, niederlande, norwegen, osterreich, polen, rumanien, russland, "
        "schweden, schweiz, serbien, slowakei, slowenien, spanien, sudafrika, syrien, "
        "tschechien, tunesien, turkei, ungarn, usa, vereinigte staaten, vereinigtes konigreich, "
        "algerije, argentinie, belgie, brazilie, bulgarije, denemarken, duitsland, egypte, "
        "frankrijk, griekenland, hongarije, ierland, indonesie, italie, kroatie, nederland, "
        "noorwegen, oekraine, oostenrijk, roemenie, rusland, servie, spanje, syrie, tsjechie, "
        "turkije, verenigd koninkrijk, verenigde staten, zuid afrika, zweden, zwitserland, "
        "alemania, belgica, brasil, croacia, dinamarca, egipto, espana, estados unidos, "
        "filipinas, finlandia, francia, grecia, hungria, inglaterra, irlanda, italia, japon, "
        "marruecos, noruega, paises bajos, polonia, reino unido, republica dominicana, rumania, "
        "rusia, siria, sudafrica, suecia, suiza, tunez, turquia, ucrania"
    )
)

PLACES = _words(
    "amsterdam, rotterdam, den haag, s gravenhage, utrecht, eindhoven, groningen, tilburg, "
    "almere, breda, nijmegen, haarlem, arnhem, enschede, amersfoort, maastricht, leiden, "
    "antwerpen, anvers, gent, charleroi, liege, luik, bruxelles, brussel, brugge, leuven, namur, "
    "paris, marseille, lyon, toulouse, nice, nantes, strasbourg, montpellier, bordeaux, lille, "
    "rennes, reims, le havre, saint etienne, toulon, grenoble, dijon, angers, nimes, brest, "
    "berlin, hamburg, munchen, koln, frankfurt, frankfurt am main, stuttgart, dusseldorf, "
    "dortmund, essen, leipzig, bremen, dresden, hannover, nurnberg, duisburg, bochum, wuppertal, "
    "bielefeld, bonn, munster, karlsruhe, mannheim, augsburg, wiesbaden, wien, graz, linz, "
    "salzburg, innsbruck, klagenfurt, zurich, geneve, basel, bern, lausanne, "
    "madrid, barcelona, valencia, sevilla, zaragoza, malaga, murcia, palma, bilbao, alicante, "
    "cordoba, valladolid, vigo, gijon, granada, oviedo, "
    "london, birmingham, manchester, leeds, glasgow, liverpool, bristol, sheffield, edinburgh, "
    "cardiff, belfast, leicester, nottingham, dublin, cork, new york, los angeles, chicago, "
    "houston, phoenix, philadelphia, san antonio, san diego, dallas, boston, seattle, denver, "
    "burgenland, karnten, niederosterreich, oberosterreich, steiermark, tirol, vorarlberg, "
    "carinthia, lower austria, upper austria, styria, tyrol, vienna, "
    "bayern, hessen, niedersachsen, nordrhein westfalen, sachsen, thuringen, brandenburg, "
    "baden wurttemberg, saarland, schleswig holstein, rheinland pfalz, sachsen anhalt, "
    "mecklenburg vorpommern, noord holland, zuid holland, noord brabant, gelderland, overijssel, "
    "limburg, friesland, drenthe, flevoland, zeeland, "
    "ile de france, bretagne, normandie, occitanie, nouvelle aquitaine, hauts de france, "
    "grand est, auvergne rhone alpes, bourgogne franche comte, pays de la loire, corse, "
    "andalucia, cataluna, galicia, aragon, canarias, extremadura, asturias, cantabria, navarra, "
    "alabama, alaska, arizona, arkansas, california, colorado, connecticut, delaware, florida, "
    "hawaii, idaho, illinois, indiana, iowa, kansas, kentucky, louisiana, maine, maryland, "
    "massachusetts, michigan, minnesota, mississippi, missouri, montana, nebraska, nevada, "
    "new hampshire, new jersey, new mexico, north carolina, north dakota, ohio, oklahoma, oregon, "
    "pennsylvania, rhode island, south carolina, south dakota, tennessee, texas, utah, vermont, "
    "virginia, washington, west virginia, wisconsin, wyoming"
)

FIRST_NAMES = _words(
    "james, john, robert, michael, william, david, richard, joseph, thomas, charles, daniel, "
    "matthew, anthony, mark, paul, steven, andrew, george, peter, kevin, brian, edward, mary, "
    "patricia, jennifer, linda, elizabeth, barbara, susan, jessica, sarah, karen, lisa, nancy, "
    "margaret, sandra, ashley, emily, emma, olivia, alice, jean, pierre, michel, andre, philippe, "
    "rene, louis, alain, jacques, bernard, marcel, daniel, roger, claude, christian, francois, "
    "nicolas, julien, marie, jeanne, francoise, monique, catherine, nathalie, isabelle, "
    "jacqueline, anne, sylvie, martine, camille, lea, chloe, manon, peter, wolfgang, klaus, "
    "jurgen, dieter, manfred, uwe, hans, bernd, stefan, andreas, markus, sabine, ursula, monika, "
    "petra, renate, karin, brigitte, ingrid, heike, anna, lena, johannes, jan, cornelis, hendrik, "
    "willem, pieter, gerrit, jacob, maria, johanna, anna, elisabeth, cornelia, wilhelmina, kees, "
    "piet, sanne, daan, sem, fatima, mohamed, mohammed, muhammad, ali, ahmed, yusuf, aisha, jose, "
    "antonio, juan, manuel, francisco, javier, carlos, miguel, angel, rafael, pedro, pablo, "
    "carmen, josefa, isabel, dolores, pilar, teresa, ana, lucia, marta, laura, elena, cristina, "
    "luis, sofia, julia, eva, sara, max, leon, lukas, felix, noah, liam, lucas, mia, hugo, jules"
)

# What columns are called by the American Community Survey, the Current Population Survey and
# EU-SILC, by their meaning.
SURVEYS = {
    "age": "agep aage rx010 rx020",
    "sex": "asex rb090 pb150",
    "birth year": "rb080 pb140",
    "marital status": "msp mar amaritl pb190",
    "nationality": "pb220a pb220b prcitshp cit rb290 rb032",
    "country": "pobp penatvty pefntvty pemntvty pb210 db020 rb020 rb280",
    "region": "puma db040 grinreg grinst powpuma",
    "urban": "density db100",
    "education": "schl ahga ahscol pe040 pe041",
    "occupation": "occp adtocc amjocc pl050 pl051",
    "industry": "indp indpcat naicsp adtind amjind pl110 pl111",
    "work": "esr cow aclswkr awkstat auntype wkswork noemp seotr pl030 pl031 pl032 wkhp wkw vetyn "
    "vetqva mil",
    "household size": "npf np",
    "children": "noc",
    "family": "relp relshipp hhdfmx hhdrel parent hht",
    "home": "housingtype ten bld dh021 hh010 hh021",
    "migration": "migmtr1 migmtr3 migmtr4 migsame migsun mig",
    "ethnicity": "rac1p hisp arace areorgn race1p",
    "union": "aunmem",
    "health": "ph010 ph020 ph030",
    "disability": "dvet drem dphy deye dear ddrs dout dis dratx",
    "income": "pincp wagp pincpdecile hincp ahrspay py010n py010g py050n py050g py090n py090g "
    "py100n py100g py110n py110g py120n py120g py130n py130g py140n py140g hy010 hy020",
    "money": "capgain caploss divval",
    "benefits": "povpip ssp ssip pap",
    "weight": "pwgtp rb050 pb040 marsupwt perwt asecwt",
    "household weight": "wgtp db090 hhwt",
    "household": "db030 rx030 serialno orihid",
}

# Words in the names of columns whose numbers count or measure something.
COUNTED = _words(
    "days, hours, minutes, weeks, months, duration, score, points, percent, pct, rate, share, "
    "count, n, nb, amount, size, quantity, qty, visits, tage, stunden, dauer, anzahl, punkte, "
    "dagen, uren, duur, aantal, jours, heures, duree, nombre, dias, horas, duracion, cantidad"
)
